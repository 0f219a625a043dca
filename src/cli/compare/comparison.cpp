#include "cli/compare/comparison.hpp"

#include "cli/compare/count_run.hpp"
#include "cli/compare/group_evolution.hpp"
#include "cli/compare/page.hpp"
#include "cli/environment.hpp"
#include "cli/output.hpp"
#include "cli/report/map_features.hpp"
#include "cli/report/run_command.hpp"
#include "cli/signals.hpp"
#include "error.hpp"
#include "files/atomic_file.hpp"
#include "files/strict_json.hpp"
#include "opencd/methods/registry.hpp"

#include <spdlog/spdlog.h>

#include <chrono>

namespace opencd::cli {

namespace {

/// The words of this process, under the name that everybody has for it.
std::string given_command() {
  std::vector<std::string> words = command_line();
  if (!words.empty()) words.front() = "opencd_sycl";
  return report::shell_command(words);
}

/// From the files of a run that is done: what it was made with, and what would make it again.
void describe(const std::filesystem::path& folder, RecordedRun& run) {
  run.made = read_provenance(folder);
  report::RunRecord record{.folder = folder,
                           .arguments = files::read_json_file(folder / "args.json")};
  record.verb = record.arguments.value("verb", "");
  Json& settings = record.arguments["settings"];
  for (auto setting = settings.begin(); setting != settings.end();)
    if (report::is_housekeeping(setting.key()))
      setting = settings.erase(setting);
    else
      ++setting;
  for (const auto& [key, setting] : settings.items())
    if (setting.value("source", "default") != "default") run.settings[key] = setting.at("value");
  if (record.verb == "train") run.command = report::shell_command(report::command_words(record));
}

/// The rows and prototypes of a run that is done, in the plane.
report::MapPanel map_of(const report::RunRecord& run,
                        const data::ImageSet& set,
                        std::size_t points,
                        const nn::Engine& engine,
                        const CommonOptions& options) {
  const SavedModel model = open_saved_model(run.folder, CheckpointChoice::last);
  const std::vector<std::uint32_t> rows = report::map_rows(run.folder, points);
  auto features = report::read_map_features(model, rows);
  if (!features) features = report::make_map_features(model, set, rows, engine, options);
  return {&run, report::points_of(*features)};
}

}  // namespace

Comparison::Comparison(const CompareOptions& options,
                       ComparisonPlan plan,
                       const data::ImageSet& set)
    : options_(options), plan_(std::move(plan)), set_(set) {
  record_ = {.data = set.name,
             .data_hash = set.hash,
             .rows = set.train.size(),
             .classes = set.class_names.size(),
             .labeled_ratio = options.train.split.labeled_ratio,
             .command = given_command(),
             .tables = plan_.tables};
  record_.known = open_split(options.train.split, set).known;
  for (PlannedRun& run : plan_.runs) {
    run.options.run.out = (folder() / run.name).string();
    run.options.run.resume = "auto";
    record_.runs.push_back({.name = run.name,
                            .method = run.shown,
                            .seed = run.options.common.seed,
                            .preset = run.options.common.sources.preset});
  }
  for (const PlannedRun& run : plan_.runs) {  // wrong numbers show before any run
    const data::OpenWorldSplit& split = split_of(run);
    if (run.counter.empty())
      check_class_number(run.options.method.method, split.known,
                         parse_classes(run.options.method.classes));
  }
  if (!options_.train.run.force) require_same_settings();
}

Comparison::~Comparison() = default;

const data::OpenWorldSplit& Comparison::split_of(const PlannedRun& run) {
  // All that variants change.
  const std::string key =
      fmt::format("{} {}", run.options.split.known, run.options.split.labeled_ratio);
  const auto found = splits_.find(key);
  if (found != splits_.end()) return found->second;
  return splits_.emplace(key, open_split(run.options.split, set_)).first->second;
}

Json Comparison::key_settings(const PlannedRun& run) {
  const data::OpenWorldSplit& split = split_of(run);
  return run.counter.empty() ? plan_training(run.options, set_, split).key_settings
                             : count_settings(run, options_.counting, set_, split);
}

void Comparison::require_same_settings() {
  for (const PlannedRun& run : plan_.runs) {
    const std::filesystem::path path = folder() / run.name;
    if (std::filesystem::exists(path / "args.json")) require_key_settings(path, key_settings(run));
  }
}

std::optional<Json> Comparison::finished_summary(const PlannedRun& run) {
  const std::filesystem::path path = folder() / run.name;
  if (!std::filesystem::exists(path / "eval" / "summary.json") ||
      !has_key_settings(path, key_settings(run)))
    return std::nullopt;
  return files::read_json_file(path / "eval" / "summary.json");
}

double Comparison::mean_seconds() const {
  return runs_here_ == 0 ? 0.0 : seconds_here_ / static_cast<double>(runs_here_);
}

RecordedRun& Comparison::recorded(const PlannedRun& run) {
  return record_.runs[static_cast<std::size_t>(&run - plan_.runs.data())];
}

void Comparison::keep(const PlannedRun& run, const Json& summary) {
  RecordedRun& done = recorded(run);
  done.state = "done";
  done.scores = read_scores(summary, run.rule);
  done.epochs = summary.value("epochs", std::int64_t{0});
  done.seconds = summary.value("seconds", 0.0);
  describe(folder() / run.name, done);
}

TrainedRun Comparison::execute(const PlannedRun& run,
                               const nn::Engine& engine,
                               const RunPlace& place) {
  const data::OpenWorldSplit& split = split_of(run);
  if (run.counter.empty())
    return train_run(run.options, set_, split, engine, {.place = place, .print = false});
  if (!features_)
    features_ = std::make_unique<BackboneFeatures>(engine, set_, split, options_.train);
  return count_run(run, options_.counting, *features_, set_, split, engine);
}

void Comparison::attempt(const PlannedRun& run,
                         const nn::Engine& engine,
                         const RunPlace& place,
                         int& code) {
  const auto start = std::chrono::steady_clock::now();
  try {
    if (const std::optional<Json> summary = finished_summary(run)) {
      spdlog::info("{}: was done before", place.label);
      keep(run, *summary);
      return;
    }
    spdlog::info("{}", place.label);
    const TrainedRun trained = execute(run, engine, place);
    code = trained.exit_code;
    recorded(run).state = "unfinished";
    if (!trained.finished) return;
    keep(run, files::read_json_file(trained.folder / "eval" / "summary.json"));
    seconds_here_ +=
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    ++runs_here_;
  } catch (const Error& error) {
    spdlog::error("{} failed: {}", place.label, printable(error.what()));
    recorded(run).state = "failed";
    recorded(run).failure = error.what();
    if (!first_failure_) first_failure_ = std::current_exception();
  }
}

int Comparison::run(const nn::Engine& engine) {
  int code = 0;
  const std::size_t count = plan_.runs.size();
  std::filesystem::create_directories(folder());
  for (std::size_t i = 0; i < count && code == 0; ++i) {
    const RunPlace place{fmt::format("run {}/{} {}", i + 1, count, plan_.runs[i].name),
                         static_cast<std::int64_t>(count - i - 1), mean_seconds()};
    attempt(plan_.runs[i], engine, place, code);
    write_tables();
  }
  write_page(engine);
  if (code != 0) spdlog::info("stopped; the same command goes on");
  return code;
}

void Comparison::write_tables() const {
  for (const ScoreTable& table : filled_tables(record_))
    files::write_file(folder() / (table.file + ".csv"), to_csv(table));
  files::write_file(folder() / "tables.md", to_markdown(record_));
  files::write_file(folder() / "runs.json", to_text(record_));
}

void Comparison::write_page(const nn::Engine& engine) const {
  std::vector<report::RunRecord> done;
  for (const RecordedRun& run : record_.runs)
    if (run.state == "done") done.push_back(report::read_run_record(folder() / run.name));
  const std::vector<GroupEvolution> evolutions = group_evolutions(done);
  if (!evolutions.empty()) files::write_file(folder() / "group-evolution.csv", to_csv(evolutions));
  std::vector<report::MapPanel> maps;
  for (const report::RunRecord& run : done)
    if (options_.maps > 0 && std::count(plan_.mapped.begin(), plan_.mapped.end(), run.name) > 0)
      maps.push_back(map_of(run, set_, options_.maps, engine, options_.train.common));
  files::write_file(folder() / "comparison.html",
                    report::to_html(comparison_page(set_.name, filled_tables(record_),
                                                    {done, evolutions, maps})));
}

void Comparison::rethrow_first_failure() const {
  if (first_failure_) std::rethrow_exception(first_failure_);
}

}  // namespace opencd::cli
