#include "bench/method_step.hpp"

#include "data/synthetic.hpp"
#include "error.hpp"
#include "opencd/methods/registry.hpp"
#include "opencd/trainer.hpp"

#include <cmath>
#include <memory>

namespace opencd::bench {

namespace {

constexpr std::uint32_t kClasses = 10;
constexpr std::size_t kKnown = 5;

data::ImageSet pictures(const TrainOptions& train) {
  // Enough for one epoch of a few steps; a step costs the same in any.
  const auto rows = static_cast<std::uint32_t>(4 * train.batch);
  return data::make_synthetic({.classes = kClasses,
                               .per_class = rows / kClasses + 1,
                               .size = static_cast<std::uint32_t>(train.crop),
                               .seed = 1});
}

TrainerConfig config_of(const TrainOptions& train, const Recipe& recipe) {
  TrainerConfig config;
  config.encoder = nn::resnet_config(train.arch);
  config.encoder.width = train.width;
  config.encoder.freeze = train.freeze;
  config.encoder.frozen_norm = train.frozen_norm;
  config.batch = train.batch;
  config.epochs = 1'000'000;  // the clock ends it
  const auto view = [&](const std::string& preset) {
    kernels::AugmentConfig result = kernels::augment_preset(preset);
    result.height = result.width = static_cast<int>(train.crop);
    return result;
  };
  config.train_view = view(recipe.augment[0]);
  config.second_view = view(recipe.augment[1]);
  config.test_view = kernels::augment_preset("test");
  config.optimizer = recipe.optimizer;
  config.schedule = {.learning_rate = 1e-6};  // a bench is to go on, not to learn
  config.sampling = recipe.sampling;
  config.deterministic = train.deterministic;
  return config;
}

/// A method in training, with all that it looks at. Its epoch has been begun.
struct Steps {
  Steps(const nn::Engine& engine, const TrainOptions& train, const std::string& method)
      : set(pictures(train)),
        split(data::open_world_split(set, {.known = kKnown, .labeled_ratio = 0.5})),
        trainer(engine,
                set,
                split,
                config_of(train, method_recipe(method, options(train), kKnown)),
                kClasses,
                [&](const MethodContext& context) {
                  return make_method(method, context, options(train));
                }) {
    trainer.begin_epoch_if_due();
  }

  /// The joint stage of methods that have one: all their losses.
  static Json options(const TrainOptions& train) {
    return {{"prototypes", train.prototypes}, {"tuning-share", 0.0}};
  }

  data::ImageSet set;
  data::OpenWorldSplit split;
  Trainer trainer;
};

Case case_of(const std::shared_ptr<Steps>& steps,
             const TrainOptions& train,
             const std::string& method) {
  Case result;
  result.name = "method_step";
  result.params = {
      {"method", method}, {"batch", train.batch}, {"width", train.width}, {"crop", train.crop}};
  result.work = static_cast<double>(train.batch);
  result.unit = "img";
  result.run = [steps] { steps->trainer.step(); };
  result.check = [steps]() -> std::string {
    steps->trainer.step();
    const double loss = steps->trainer.method().losses().front().second;
    steps->trainer.check_finite();
    return std::isfinite(loss) ? "" : fmt::format("the loss is {}", loss);
  };
  return result;
}

}  // namespace

std::vector<Result> time_method_steps(const nn::Engine& engine,
                                      const TrainOptions& train,
                                      const MeasureOptions& options) {
  if (is_training_free(train.method))
    fail<UsageError>("[bench] {} makes no steps; it only clusters", train.method);
  std::vector<std::string> methods = {"opencd"};
  if (train.method != "opencd") methods.push_back(train.method);
  std::vector<Result> results;
  for (const std::string& method : methods) {
    const auto steps = std::make_shared<Steps>(engine, train, method);
    results.push_back(measure(engine.device(), case_of(steps, train, method), options));
    if (results.back().median_ms > 0.0)
      results.back().figures["relative_to_opencd"] =
          results.back().median_ms / results.front().median_ms;
  }
  return results;
}

}  // namespace opencd::bench
