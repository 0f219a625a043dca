// A trainer on a small synthetic set, with any method, and what its run comes to: unbroken, broken off, or
// interrupted.
#pragma once

#include "data/synthetic.hpp"
#include "error.hpp"
#include "nn/layers.hpp"
#include "opencd/methods/registry.hpp"
#include "opencd/methods/tuning.hpp"
#include "opencd/trainer.hpp"
#include "support/temporary_folder.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>

namespace opencd::test {

inline constexpr std::size_t kKnown = 2;

inline data::ImageSet small_set() {
  return data::make_synthetic({.classes = 4, .per_class = 30, .size = 12, .seed = 3});
}

inline TrainerConfig small_config(const data::ImageSet& set) {
  TrainerConfig config;
  config.encoder = nn::resnet_config("resnet18");
  config.encoder.width = 4;
  config.encoder.freeze = nn::FreezePoint::stage2;
  config.batch = 24;
  config.epochs = 3;
  config.train_view = kernels::augment_preset("opencd");
  config.train_view.height = config.train_view.width = static_cast<int>(set.shape.height);
  config.test_view = kernels::augment_preset("test");
  config.schedule.learning_rate = 2e-3;
  config.block = 50;
  config.seed = 5;
  config.deterministic = true;
  return config;
}

inline const Json kOptions = {{"prototypes", 12}, {"warm-epochs", 1}, {"grouping-epochs", 2}};

/// With all that the preset `small` adds.
inline Json small_options() {
  Json options = kOptions;
  options.update({{"warm-head-only", true}, {"grouping-sets", 3}, {"grouping-labels", true}});
  return options;
}

/// `opencd+` with all that it can add.
inline Json all_parts() {
  Json options = kOptions;
  options.update({{"balanced-targets", true}, {"strong-views", true}, {"whole-network", true}});
  return options;
}

struct MethodCase {
  std::string method = "opencd";
  Json options = kOptions;
  std::int64_t epochs = 3;
};

/// An epoch of tuning, one of the first targets, then targets and averages before every epoch.
inline MethodCase averaging_dtc() {
  return {"dtc", {{"dtc-variant", "tep"}, {"tuning-share", 0.2}}, 5};
}

/// As the method's authors train it, but for the size.
inline TrainerConfig config_of(const MethodCase& choice, const data::ImageSet& set) {
  const auto& [method, options, epochs] = choice;
  TrainerConfig config = small_config(set);
  config.epochs = epochs;
  const Recipe recipe = method_recipe(method, options, kKnown);
  config.encoder_from = recipe.encoder_from;
  if (method == "opencd") return config;
  config.optimizer = recipe.optimizer;
  config.schedule = recipe.schedule;
  config.schedule.learning_rate = std::min(0.01, recipe.schedule.learning_rate);  // few steps
  config.schedule.total = static_cast<double>(config.epochs);
  config.smooth_schedule = recipe.smooth_schedule;
  config.sampling = recipe.sampling;
  config.sampling.labeled_epochs = tuning_epochs(recipe.tuning_share, config.epochs);
  config.whole_from = recipe.whole_from;
  config.train_view = kernels::augment_preset(recipe.augment[0]);
  if (recipe.augment[1] != recipe.augment[0]) {
    config.second_view = kernels::augment_preset(recipe.augment[1]);
    config.second_view->cutout = 4;
  }
  return config;
}

inline std::vector<MethodCase> all_methods() {
  const Json none = Json::object();
  return {{},
          {"opencd", small_options()},
          {"opencd+", kOptions},
          {"opencd+", all_parts()},
          {"orca", {{"grouping-rows", 40}}},
          {"gcd", none},
          {"rankstats", none},
          {"dtc", {{"dtc-variant", "pi"}}},
          {"dtc", {{"dtc-variant", "tep"}}},
          {"fixmatch", {{"pseudo-threshold", 0.4}}},
          {"ds3l", none}};
}

using Change = std::function<void(TrainerConfig&)>;

/// A trainer with all that it looks at.
struct Training {
  explicit Training(data::ImageSet pictures,
                    const MethodCase& choice = {},
                    const Change& change = {})
      : Training(pictures,
                 data::open_world_split(pictures, {.known = kKnown, .labeled_ratio = 0.3}),
                 choice,
                 change) {}
  Training(data::ImageSet pictures,
           data::OpenWorldSplit given,
           const MethodCase& choice,
           const Change& change = {})
      : set(std::move(pictures)),
        split(std::move(given)),
        trainer(test_engine(),
                set,
                split,
                changed(config_of(choice, set), change),
                4,
                [&](const MethodContext& context) {
                  return make_method(choice.method, context, choice.options);
                }) {}

  static TrainerConfig changed(TrainerConfig config, const Change& change) {
    if (change) change(config);
    return config;
  }
  void run(std::size_t steps) {
    for (std::size_t i = 0; i < steps && !trainer.done(); ++i) {
      trainer.begin_epoch_if_due();
      trainer.step();
    }
    trainer.check_finite();
  }
  std::size_t all_steps() const { return trainer.all_steps(); }
  std::vector<float> read(const char* name) {
    nn::ParameterSet& parameters = trainer.model().parameters();
    return parameters.read(*parameters.find(name));
  }
  std::vector<float> weights() {
    std::vector<float> all;
    for (const nn::Parameter& parameter : trainer.model().parameters().all()) {
      const std::vector<float> values = trainer.model().parameters().read(parameter);
      all.insert(all.end(), values.begin(), values.end());
    }
    return all;
  }

  data::ImageSet set;
  data::OpenWorldSplit split;
  Trainer trainer;
};

/// Where a run ends: its weights, and the groups of unlabelled rows.
struct Ending {
  std::vector<float> weights;
  std::vector<std::int32_t> groups;
  bool operator==(const Ending&) const = default;
};

inline Ending ending(Training& training) {
  training.run(training.all_steps());
  training.trainer.finish();
  Ending end{training.weights(), {}};
  for (const Prediction& prediction : training.trainer.predict_train(training.split.unlabeled))
    end.groups.push_back(prediction.group);
  return end;
}

/// Of an unbroken run; several tests compare with the same one.
inline const Ending& unbroken(const MethodCase& choice = {}) {
  static std::map<std::string, Ending> endings;
  const auto [at, first] = endings.try_emplace(
      fmt::format("{}{}{}", choice.method, choice.options.dump(), choice.epochs));
  if (first) {
    Training training(small_set(), choice);
    at->second = ending(training);
  }
  return at->second;
}

/// A run of `choice` that goes on from what `first` saves.
inline Ending resumed(Training& first, const MethodCase& choice) {
  const TemporaryFolder folder;
  first.trainer.save(folder.path());
  const Json state = first.trainer.state();
  Training second(small_set(), choice);
  second.trainer.restore(folder.path(), state);
  CHECK(second.trainer.position() == first.trainer.position());
  CHECK_EQ(second.trainer.steps_done(), first.trainer.steps_done());
  const Ending end = ending(second);
  CHECK(second.trainer.done());
  return end;
}

/// What a run comes to that a signal ends at the `place`-th time that it asks for one, and that goes on
/// as another; nothing if it asks less often.
inline std::optional<Ending> interrupted(const MethodCase& choice, std::size_t place) {
  Training first(small_set(), choice);
  std::size_t asked = 0;
  first.trainer.set_interrupt([&] { return asked++ == place; });
  try {
    first.run(first.all_steps());
    first.trainer.finish();
  } catch (const Interrupted&) {
    return resumed(first, choice);
  }
  return std::nullopt;
}

/// What a run comes to that is saved after `stop` steps and goes on as another.
inline Ending broken_off(const MethodCase& choice, std::size_t stop) {
  Training first(small_set(), choice);
  first.run(stop);
  return resumed(first, choice);
}

}  // namespace opencd::test
