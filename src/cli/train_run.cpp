#include "cli/train_run.hpp"

#include "cli/calibrate_run.hpp"
#include "cli/method_settings.hpp"
#include "cli/recipe_options.hpp"
#include "cli/scoring.hpp"
#include "cli/train_presets.hpp"
#include "cli/training_loop.hpp"
#include "cli/training_setup.hpp"
#include "error.hpp"
#include "opencd/methods/registry.hpp"

#include <spdlog/spdlog.h>

namespace opencd::cli {

namespace {

PredictionSource predictions_of(Trainer& trainer) {
  return {[&](std::span<const std::uint32_t> rows) { return trainer.predict_train(rows); },
          [&] { return trainer.predict_test(); }, [&] { return trainer.method().groups(); }};
}

Json key_settings(const TrainOptions& o, const ModelDescription& model) {
  Json contents = {{"data", model.data_hash},
                   {"split", model.split_hash},
                   {"pixel-mean", model.mean},
                   {"pixel-std", model.std},
                   {"method", model.method},
                   {"classes", o.method.classes},
                   {"weights", content_key(o.learning.weights)}};
  contents.update(model.method_options);
  return run_keys(o.common.sources.settings, contents);
}

/// The share of the labelled rows whose class the model finds: by its number where labels decide which group is which
/// known class, else by the best matching.
std::optional<double> labelled_accuracy(Scorer& scorer, const std::string& method) {
  const std::optional<Evaluation> labelled = scorer.labelled();
  if (!labelled) return std::nullopt;
  return (names_known_classes(method) ? labelled->orca : labelled->gcd_v1).known.fraction();
}

void report_training(const TrainOptions& o,
                     Scorer& scorer,
                     const SavedModel& saved,
                     const RunFolder& run,
                     std::int64_t epochs,
                     double seconds,
                     bool print) {
  GroupNames names(saved.description.known_classes(), saved.groups);
  read_names(run.path() / "names.json", grouping_id(saved.method_state), names);
  report_scores(scorer, names,
                {.folder = run.path() / "eval",
                 .more = {{"preset", o.common.sources.preset},
                          {"method", saved.description.method},
                          {"epochs", epochs},
                          {"seconds", seconds}},
                 .more_json = {{"run", run.path().string()}},
                 .json = o.common.json,
                 .print = print});
}

/// Of the unlabelled rows, the share whose hidden class is a new one.
double true_novel_share(const data::ImageSet& set, const data::OpenWorldSplit& split) {
  const std::vector<std::int32_t> places = data::class_places(split, set.train.labels);
  std::size_t novel = 0;
  std::size_t counted = 0;
  for (const std::uint32_t row : split.unlabeled) {
    if (places[row] < 0) continue;
    ++counted;
    if (static_cast<std::size_t>(places[row]) >= split.known) ++novel;
  }
  if (counted == 0)
    fail<UsageError>("[train] nobody knows the classes of unlabelled rows: give --novel-share");
  return static_cast<double>(novel) / static_cast<double>(counted);
}

/// This much a method may be told of what is hidden, because the paper's comparison tells it.
void settle_novel_share(TrainOptions& o,
                        const data::ImageSet& set,
                        const data::OpenWorldSplit& split) {
  MethodArguments& method = o.method;
  if (!method_options(method).contains("novel-share") || method.novel_share != -1.0) return;
  method.novel_share = true_novel_share(set, split);
  if (Setting* setting = find_setting(o.common.sources.settings, "novel-share")) {
    setting->value = method.novel_share;
    setting->source = "data";
  }
  spdlog::info("{} is told the true share of novel rows, {:.4f}; --novel-share gives another",
               method.method, method.novel_share);
}

/// By the model as it was saved, as everybody else will meet it.
void calibrate_run(const nn::Engine& engine,
                   const SavedModel& saved,
                   const data::ImageSet& set,
                   const std::vector<std::uint32_t>& labelled,
                   bool deterministic) {
  TrainedModel trained(engine, saved, {.deterministic = deterministic});
  if (std::optional<Calibration> calibration = calibrate(trained, set, labelled)) {
    calibration->checkpoint = saved.checkpoint.name();
    write_calibration(saved.run / "eval", *calibration);
  }
}

}  // namespace

void add_train_options(CLI::App& verb, TrainOptions& options) {
  // A run knows the data and the split by their hashes, and of the methods' options those that its own takes.
  keyed_by("data", verb, [&] { add_data_options(verb, options.data); });
  keyed_by("split", verb, [&] { add_split_options(verb, options.split); });
  keyed_by("method", verb, [&] { add_method_options(verb, options.method); });
  add_learning_options(verb, options.learning);
  verb.add_option("--milestones", options.learning.milestones,
                  "Epochs at which the learning rate falls by --gamma: 90,120")
      ->delimiter(',')
      ->capture_default_str()
      ->group("Learning");
  verb.add_option("--gamma", options.learning.gamma,
                  "What the learning rate is multiplied by at each of --milestones")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str()
      ->group("Learning");
  add_run_options(verb, options.run);
  add_preset_option(verb, options.common.sources, train_presets(), kStandardPreset);
}

PlannedTraining plan_training(TrainOptions o,
                              const data::ImageSet& set,
                              const data::OpenWorldSplit& split) {
  settle_novel_share(o, set, split);
  std::vector<Setting>& settings = o.common.sources.settings;
  const std::size_t classes = parse_classes(o.method.classes);
  const Json options = settle_method(o.method, {split.known, classes, o.learning.epochs}, settings);
  const Recipe recipe =
      settle_recipe(method_recipe(o.method.method, options, split.known), o.learning, settings);
  PlannedTraining plan{{}, describe_model(o.learning, set, split), {}, {}};
  ModelDescription& model = plan.model;
  model.method = o.method.method;
  model.method_options = options;
  model.classes = classes;
  model.seed = o.common.seed;
  TrainerConfig& config = plan.config = trainer_config(o.learning, model, o.common);
  follow_recipe(recipe, config);
  if (o.learning.weights.empty()) config.encoder_from = 0;  // it has all to learn
  if (is_training_free(model.method)) {
    config.epochs = 0;
    config.batch = 2;  // of no step; memory is taken for it all the same
    config.encoder.freeze = nn::FreezePoint::stage4;
  }
  plan.key_settings = key_settings(o, model);
  plan.options = std::move(o);
  return plan;
}

TrainedRun train_run(const TrainOptions& options,
                     const data::ImageSet& set,
                     const data::OpenWorldSplit& split,
                     const nn::Engine& engine,
                     const RunDisplay& display) {
  const PlannedTraining plan = plan_training(options, set, split);
  const TrainOptions& o = plan.options;
  const ModelDescription& model = plan.model;
  std::optional<Trainer> trainer(std::in_place, engine, set, split, plan.config, model.classes,
                                 [&](const MethodContext& context) {
                                   return make_method(model.method, context, model.method_options);
                                 });
  log_memory_plan(*trainer, engine.device());
  load_start_weights(*trainer, o.learning.weights);

  RunFolder run(run_request("train", o.run, set.name, plan.key_settings, o.common.sources));
  start_run(run, engine.device(), split);
  Scorer scorer(predictions_of(*trainer), set, scored_rows(set, split));
  TrainedRun trained{0, false, run.path()};
  double seconds = 0.0;
  {
    TrainingLoop loop(*trainer, run, o.run, model, o.common.hides_progress(), [&] {
      scorer.forget();
      return EpochScores{scorer.unlabeled(), labelled_accuracy(scorer, model.method)};
    });
    loop.set_place(display.place);
    trained.exit_code = loop.run();
    seconds = loop.seconds();
  }
  if (trained.exit_code != 0 || !trainer->done()) return trained;
  scorer.predict();
  trainer.reset();  // gives back what the plan told of before the saved model takes its own
  const SavedModel saved = open_saved_model(run.path());
  calibrate_run(engine, saved, set, split.labeled, o.common.deterministic);
  report_training(o, scorer, saved, run, plan.config.epochs, seconds, display.print);
  trained.finished = true;
  return trained;
}

}  // namespace opencd::cli
