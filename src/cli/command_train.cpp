// `train`: open-world training on a data set.
#include "cli/commands.hpp"
#include "cli/evaluation_files.hpp"
#include "cli/open_device.hpp"
#include "cli/output.hpp"
#include "cli/training_loop.hpp"
#include "cli/training_setup.hpp"
#include "error.hpp"
#include "opencd/methods/registry.hpp"

#include <spdlog/spdlog.h>

namespace opencd::cli {

namespace {

struct TrainOptions {
  CommonOptions common;
  DataArguments data;
  SplitArguments split;
  LearningArguments learning;
  MethodArguments method;
  RunArguments run;
};

/// Scores on the rows that training saw without labels, and on held-out rows.
class Scorer {
 public:
  Scorer(Trainer& trainer,
         const data::ImageSet& set,
         const data::OpenWorldSplit& split,
         const ModelDescription& model)
      : trainer_(trainer), set_(set), split_(split), model_(model) {
    const auto places = data::class_places(split, set.train.labels);
    for (const std::uint32_t row : split.unlabeled) classes_.push_back(places[row]);
  }

  bool has_truth() const {
    return std::any_of(classes_.begin(), classes_.end(), [](std::int32_t c) { return c >= 0; });
  }
  std::optional<Evaluation> unlabeled() {
    if (!has_truth()) return std::nullopt;
    predictions_ = trainer_.predict_train(split_.unlabeled);
    return evaluate(predictions_, classes_, split_.known, split_.class_order.size(),
                    trainer_.method().groups(), "unlabelled training rows");
  }
  std::optional<Evaluation> held_out() {
    if (set_.test.size() == 0 || !has_truth()) return std::nullopt;
    return evaluate(trainer_.predict_test(), data::class_places(split_, set_.test.labels),
                    split_.known, split_.class_order.size(), trainer_.method().groups(),
                    "held-out test rows");
  }
  /// Of the last call of `unlabeled`, or now where nobody knows the truth.
  PredictedRows predicted() {
    if (predictions_.empty()) predictions_ = trainer_.predict_train(split_.unlabeled);
    return {split_.unlabeled, set_.train.paths, classes_, predictions_};
  }

 private:
  Trainer& trainer_;
  const data::ImageSet& set_;
  const data::OpenWorldSplit& split_;
  const ModelDescription& model_;
  std::vector<std::int32_t> classes_;
  std::vector<Prediction> predictions_;
};

Json key_settings(const TrainOptions& o, const ModelDescription& model) {
  Json settings = {{"data", model.data_hash},       {"split", model.split_hash},
                   {"method", model.method},        {"classes", o.method.classes},
                   {"arch", o.learning.arch},       {"width", o.learning.width},
                   {"batch", o.learning.batch},     {"freeze-until", o.learning.freeze_until},
                   {"augment", o.learning.augment}, {"crop", o.learning.crop},
                   {"seed", o.common.seed}};
  settings.update(model.method_options);
  return settings;
}

void report(const TrainOptions& o,
            Scorer& scorer,
            const ModelDescription& model,
            const RunFolder& run,
            double seconds) {
  const std::optional<Evaluation> evaluation = scorer.unlabeled();
  const std::optional<Evaluation> held_out = scorer.held_out();
  if (!evaluation) {
    spdlog::info("nobody knows the classes of the unlabelled rows, so there are no scores");
    return;
  }
  Json summary = to_json(*evaluation);
  summary["preset"] = o.common.sources.preset;
  summary["method"] = model.method;
  summary["seconds"] = seconds;
  if (held_out) summary["test"] = to_json(*held_out);
  write_evaluation(run.path() / "eval", *evaluation, summary, scorer.predicted(), model);
  if (o.common.json) {
    summary["run"] = run.path().string();
    print_json(summary);
    return;
  }
  print_evaluation(*evaluation);
  if (held_out) print_evaluation(*held_out);
}

int train(const TrainOptions& o) {
  const auto start = std::chrono::steady_clock::now();
  const data::ImageSet set = open_data(o.data);
  const data::OpenWorldSplit split = open_split(o.split, set);
  const std::size_t classes = parse_classes(o.method.classes);
  ModelDescription model = describe_model(o.learning, set, split);
  model.method = o.method.method;
  model.method_options = method_options(o.method);
  model.classes = classes;
  model.seed = o.common.seed;

  const auto device = open_device(o.common);
  const nn::Engine engine(*device);
  TrainerConfig config = trainer_config(o.learning, model, o.common);
  config.optimizer = {.kind = nn::OptimizerKind::adam, .weight_decay = o.learning.weight_decay};
  config.schedule = {.kind = nn::ScheduleKind::multi_step,
                     .learning_rate = o.learning.learning_rate,
                     .milestones = o.learning.milestones};
  if (is_training_free(model.method)) {
    config.epochs = 0;
    config.batch = 2;  // of no step; memory is taken for it all the same
    config.encoder.freeze = nn::FreezePoint::stage4;
  }
  Trainer trainer(engine, set, split, config, classes, [&](const MethodContext& context) {
    return make_method(model.method, context, model.method_options);
  });
  log_memory_plan(trainer, *device);
  load_start_weights(trainer, o.learning.weights);

  RunFolder run(run_request("train", o.run, set.name, key_settings(o, model), o.common.sources));
  start_run(run, *device, split);
  Scorer scorer(trainer, set, split, model);
  TrainingLoop loop(trainer, run, o.run, model, o.common.hides_progress(),
                    [&] { return scorer.unlabeled(); });
  if (const int code = loop.run(); code != 0) return code;
  if (!trainer.done()) return 0;
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
  report(o, scorer, model, run, passed.count());
  spdlog::info("the run is in {}", run.path().string());
  return 0;
}

}  // namespace

void add_train_command(CLI::App& app, Action& action) {
  auto options = std::make_shared<TrainOptions>();
  CLI::App* verb =
      app.add_subcommand("train", "Learn known classes and discover new ones in a data set");
  add_data_options(*verb, options->data);
  add_split_options(*verb, options->split);
  add_method_options(*verb, options->method);
  add_learning_options(*verb, options->learning);
  verb->add_option("--milestones", options->learning.milestones,
                   "Epochs at which the learning rate is divided by ten: 90,120")
      ->delimiter(',')
      ->capture_default_str()
      ->group("Learning");
  add_run_options(*verb, options->run);
  add_preset_option(*verb, options->common.sources, train_presets(), "code");
  define_verb(*verb, options->common, action, [options] { return train(*options); });
  verb->footer(
      "Example: opencd_sycl train fashion-mnist --known 5 --labeled-ratio 0.1 --preset small "
      "--weights backbone.safetensors");
}

}  // namespace opencd::cli
