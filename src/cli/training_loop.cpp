#include "cli/training_loop.hpp"

#include "cli/signals.hpp"
#include "error.hpp"
#include "files/atomic_file.hpp"
#include "files/strict_json.hpp"

#include <spdlog/spdlog.h>

namespace opencd::cli {

namespace {

constexpr std::size_t kStepsARecord = 10;
constexpr const char* kTimeFile = "time.json";  // no part of a checkpoint, which repeats to the bit

std::vector<std::string> metric_columns(const Method& method) {
  std::vector<std::string> columns{"train/lr", "train/gradient_norm"};
  for (const std::string& name : method.metric_names()) columns.push_back("train/" + name);
  for (const char* name : {"known", "novel", "all", "nmi", "ari", "classes_found"})
    columns.push_back(std::string("val/") + name);
  return columns;
}

std::vector<std::pair<std::string, double>> scores_of(const Evaluation& evaluation) {
  return {{"known", evaluation.orca.known.fraction()},
          {"novel", evaluation.orca.novel.fraction()},
          {"all", evaluation.orca.all.fraction()},
          {"nmi", evaluation.nmi},
          {"ari", evaluation.ari},
          {"classes_found", static_cast<double>(evaluation.groups.found)}};
}

/// 0 where there is no such file.
double read_seconds(const std::filesystem::path& file) {
  if (!std::filesystem::exists(file)) return 0.0;
  const Json time = files::read_json_file(file);
  try {
    return time.at("seconds").get<double>();
  } catch (const Json::exception& error) {
    fail<FormatError>(
        "[resume] {} does not read: {}; it tells how long training took, and may be removed",
        file.string(), error.what());
  }
}

}  // namespace

TrainingLoop::TrainingLoop(Trainer& trainer,
                           RunFolder& run,
                           const RunArguments& arguments,
                           const ModelDescription& model,
                           bool quiet,
                           Evaluate evaluate)
    : trainer_(trainer),
      run_(run),
      arguments_(arguments),
      model_(model),
      quiet_(quiet),
      evaluate_(std::move(evaluate)),
      checkpoints_(run.checkpoints(), {.keep_last = arguments.keep_last}) {
  trainer_.set_interrupt([] { return StopSignals::stop_requested(); });
  end_due_ = trainer_.done();  // no epochs at all
  Resumed resumed{static_cast<std::int64_t>(trainer_.steps_done()), 0};
  if (run.checkpoint()) resumed = restore();
  metrics_.emplace(run.path(), files::MetricsOptions{.columns = metric_columns(trainer.method()),
                                                     .resume_step = resumed.step,
                                                     .resume_records = resumed.records});
}

TrainingLoop::Resumed TrainingLoop::restore() {
  const files::Checkpoint& checkpoint = *run_.checkpoint();
  const auto file = checkpoint.path / "state.json";
  const Json state = files::read_json_file(file);
  Resumed resumed;
  try {
    trainer_.restore(checkpoint.path, state.at("training"));
    // An older program did not keep what has a default here.
    end_due_ = state.value("end_due", trainer_.done() && !trainer_.finished());
    best_ = state.value("best_labelled", best_);
    if (state.contains("records")) resumed.records = state.at("records").get<std::int64_t>();
    for (const Json& loss : state.value("losses", Json::array()))
      if (loss.at(1).is_number())  // one that was not finite cannot be written
        losses_.emplace_back(loss.at(0).get<std::string>(), loss.at(1).get<double>());
  } catch (const Json::exception& error) {
    fail<FormatError>("[resume] {} does not read: {}", file.string(), error.what());
  }
  resumed.step = static_cast<std::int64_t>(trainer_.steps_done());
  earlier_seconds_ = read_seconds(run_.path() / kTimeFile);
  spdlog::info("resumed from {}: epoch {}, step {}", checkpoint.name(),
               trainer_.position().epoch + 1, trainer_.position().step + 1);
  return resumed;
}

int TrainingLoop::run() {
  const StopSignals signals;
  try {
    train();
  } catch (const Interrupted&) {
    // The work between two epochs was given up, before anything of it was recorded; the next start does it.
    save();
    spdlog::info("stopped; the same command with --resume auto goes on");
  }
  return StopSignals::exit_code();
}

double TrainingLoop::seconds() const {
  return earlier_seconds_ + std::chrono::duration<double>(Clock::now() - start_).count();
}

bool TrainingLoop::out_of_time() const {
  const std::chrono::duration<double, std::ratio<3600>> passed = Clock::now() - start_;
  return arguments_.max_hours > 0.0 && passed.count() >= arguments_.max_hours;
}

const TrainingLoop::Values& TrainingLoop::losses() {
  if (stepped_) losses_ = trainer_.method().losses();
  return losses_;
}

std::string TrainingLoop::losses_text() {
  std::string text;
  for (const auto& [name, value] : losses())
    text += fmt::format("{}{} {:.3f}", text.empty() ? "" : ", ", name, value);
  return text;
}

void TrainingLoop::record(const char* prefix, const Values& values) {
  files::MetricsRecord record{.step = static_cast<std::int64_t>(trainer_.steps_done()),
                              .epoch = trainer_.position().epoch};
  for (const auto& [name, value] : values) record.values.emplace_back(prefix + name, value);
  metrics_->add(record);
}

void TrainingLoop::begin_epoch() {
  const bool due = trainer_.position().step == 0;
  trainer_.begin_epoch_if_due();
  if (due) record("train/", trainer_.method().figures());
}

void TrainingLoop::train() {
  if (end_due_) end_epoch();
  TrainingProgress progress({.epochs = trainer_.epochs(),
                             .steps = trainer_.steps(),
                             .images_per_step = trainer_.batch(),
                             .first_step = static_cast<std::int64_t>(trainer_.steps_done()),
                             .place = place_},
                            quiet_);
  while (!trainer_.done()) {
    begin_epoch();
    const double rate = trainer_.learning_rate();
    trainer_.step();
    stepped_ = true;
    const std::size_t done = trainer_.steps_done();
    progress.update(static_cast<std::int64_t>(done), [this] { return losses_text(); });
    if (done % kStepsARecord == 0) {
      Values values = trainer_.method().losses();
      values.emplace_back("lr", rate);
      values.emplace_back("gradient_norm", trainer_.gradient_norm());
      record("train/", values);
    }
    if (trainer_.position().step == 0) {
      progress.clear();
      end_due_ = true;
      end_epoch();
    }
    const std::chrono::duration<double, std::ratio<60>> unsaved = Clock::now() - last_save_;
    if (StopSignals::stop_requested() || out_of_time()) {
      progress.clear();
      save();
      spdlog::info("stopped; the same command with --resume auto goes on");
      return;
    }
    if (arguments_.save_minutes > 0.0 && unsaved.count() >= arguments_.save_minutes) save();
  }
}

EpochScores TrainingLoop::evaluate_if_due() {
  const bool due =
      arguments_.eval_every > 0 && trainer_.position().epoch % arguments_.eval_every == 0;
  if (!evaluate_ || !(due || trainer_.done())) return {};
  spdlog::debug("evaluation after epoch {}", trainer_.position().epoch);
  return evaluate_();
}

void TrainingLoop::end_epoch() {
  trainer_.check_finite();
  // A signal may end these two; nothing may be recorded before they are done.
  if (trainer_.done()) trainer_.finish();
  const EpochScores scores = evaluate_if_due();
  if (trainer_.done()) record("train/", trainer_.method().figures());
  if (scores.unlabelled) record("val/", scores_of(*scores.unlabelled));
  end_due_ = false;
  log_epoch(scores);
  const std::int64_t epoch = trainer_.position().epoch;
  const bool due = arguments_.save_every > 0 && epoch % arguments_.save_every == 0;
  if (due || trainer_.done()) save(scores.labelled);
}

void TrainingLoop::log_epoch(const EpochScores& scores) {
  std::string text;
  if (scores.unlabelled) {
    const OpenWorldAccuracy& accuracy = scores.unlabelled->orca;
    text = fmt::format("  known {:.1f}  novel {:.1f}  all {:.1f} %  classes {}",
                       100.0 * accuracy.known.fraction(), 100.0 * accuracy.novel.fraction(),
                       100.0 * accuracy.all.fraction(), scores.unlabelled->groups.found);
  }
  if (scores.labelled) text += fmt::format("  labelled {:.1f} %", 100.0 * *scores.labelled);
  if (trainer_.epochs() == 0)
    spdlog::info("without training{}", text);
  else
    spdlog::info("epoch {}/{}  {}{}", trainer_.position().epoch, trainer_.epochs(), losses_text(),
                 text);
}

void TrainingLoop::save(std::optional<double> labelled) {
  trainer_.check_finite();
  metrics_->sync();
  const data::BatchPosition position = trainer_.position();
  const bool better = labelled && *labelled >= best_;  // of equals the one that learned longer
  if (better) best_ = *labelled;
  const files::Checkpoint saved = checkpoints_.save(
      {position.epoch, static_cast<std::int64_t>(position.step)}, trainer_.checkpoint_bytes(),
      [&](const std::filesystem::path& folder) {
        trainer_.save(folder);
        const Json state{
            {"model", to_json(model_)}, {"training", trainer_.state()},   {"end_due", end_due_},
            {"best_labelled", best_},   {"records", metrics_->records()}, {"losses", losses()}};
        files::write_file(folder / "state.json", state.dump(2) + "\n");
      });
  if (better) checkpoints_.mark_best(saved);
  files::write_file(run_.path() / kTimeFile, Json{{"seconds", seconds()}}.dump() + "\n");
  last_save_ = Clock::now();
}

}  // namespace opencd::cli
