// `pretrain`: SimCLR on all pictures of a set, without labels; leaves a backbone for `train`.
#include "cli/commands.hpp"
#include "cli/open_device.hpp"
#include "cli/output.hpp"
#include "cli/training_loop.hpp"
#include "cli/training_setup.hpp"
#include "nn/model_weights.hpp"
#include "opencd/methods/registry.hpp"

#include <spdlog/spdlog.h>

#include <numeric>

namespace opencd::cli {

namespace {

struct PretrainOptions {
  CommonOptions common;
  DataArguments data;
  LearningArguments learning;
  RunArguments run;
  double temperature = 0.1;
};

/// All rows, none labelled.
data::OpenWorldSplit unlabelled_split(const data::ImageSet& set) {
  data::OpenWorldSplit split;
  split.data_hash = set.hash;
  split.rows = set.train.size();
  split.class_order.resize(set.class_names.size());
  std::iota(split.class_order.begin(), split.class_order.end(), 0);
  split.unlabeled.resize(set.train.size());
  std::iota(split.unlabeled.begin(), split.unlabeled.end(), 0U);
  return split;
}

Json key_settings(const PretrainOptions& o, const ModelDescription& model) {
  return run_keys(o.common.sources.settings, {{"data", model.data_hash},
                                              {"pixel-mean", model.mean},
                                              {"pixel-std", model.std},
                                              {"weights", content_key(o.learning.weights)}});
}

int pretrain(const PretrainOptions& o) {
  const data::ImageSet set = open_data(o.data);
  const data::OpenWorldSplit split = unlabelled_split(set);
  ModelDescription model = describe_model(o.learning, set, split);
  model.method = "simclr";
  model.method_options = {{"temperature", o.temperature}};
  model.seed = o.common.seed;

  const auto device = open_device(o.common);
  const nn::Engine engine(*device);
  TrainerConfig config = trainer_config(o.learning, model, o.common);
  config.optimizer = {.kind = nn::OptimizerKind::sgd, .weight_decay = o.learning.weight_decay};
  config.schedule = {.kind = nn::ScheduleKind::cosine,
                     .learning_rate = o.learning.learning_rate,
                     .total = static_cast<double>(o.learning.epochs),
                     .minimum = 1e-3 * o.learning.learning_rate,
                     .warm_up = std::min(10.0, 0.05 * static_cast<double>(o.learning.epochs)),
                     .warm_up_start = 0.01};
  config.smooth_schedule = true;
  Trainer trainer(engine, set, split, config, 0, [&](const MethodContext& context) {
    return make_method(model.method, context, model.method_options);
  });
  log_memory_plan(trainer, *device);
  if (!o.learning.weights.empty()) load_start_weights(trainer, o.learning.weights);

  RunFolder run(run_request("pretrain", o.run, set.name, key_settings(o, model), o.common.sources));
  start_run(run, *device, split);
  TrainingLoop loop(trainer, run, o.run, model, o.common.hides_progress());
  if (const int code = loop.run(); code != 0) return code;
  if (!trainer.done()) return 0;
  const std::filesystem::path backbone = run.path() / "backbone.safetensors";
  trainer.save_encoder(backbone);
  if (o.common.json)
    print_json({{"run", run.path().string()},
                {"backbone", backbone.string()},
                {"epochs", o.learning.epochs},
                {"loss", loop.losses().empty() ? Json() : Json(loop.losses().front().second)},
                {"seconds", loop.seconds()}});
  else
    print_line(fmt::format("backbone: {}", backbone.string()));
  return 0;
}

}  // namespace

void add_pretrain_command(CLI::App& app, Action& action) {
  auto options = std::make_shared<PretrainOptions>();
  options->learning = {.freeze_until = "none",
                       .augment = "simclr",
                       .crop = 0,
                       .epochs = 500,
                       .batch = 512,
                       .learning_rate = 0.4,
                       .weight_decay = 1e-4};
  CLI::App* verb = app.add_subcommand("pretrain", "Learn a backbone from pictures without labels");
  keyed_by("data", *verb, [&] { add_data_options(*verb, options->data); });
  add_learning_options(*verb, options->learning);
  verb->add_option("--temperature", options->temperature, "Of NT-Xent")
      ->capture_default_str()
      ->group("Learning");
  add_run_options(*verb, options->run);
  add_preset_option(
      *verb, options->common.sources,
      {{"scan", {}},
       {"supcontrast",
        {{"batch", "1024"}, {"epochs", "1000"}, {"lr", "0.5"}, {"temperature", "0.5"}}},
       {"small",
        {{"width", "16"},
         {"crop", "24"},
         {"batch", "256"},
         {"epochs", "50"},
         {"lr", "1.0"},
         {"temperature", "0.5"}}}},
      "scan");
  define_verb(*verb, options->common, action, [options] { return pretrain(*options); });
  verb->footer("Example: opencd_sycl pretrain fashion-mnist --preset small");
}

}  // namespace opencd::cli
