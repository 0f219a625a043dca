// The trainer on a small synthetic set: what it may know, what it repeats, what it survives.
#include "opencd/trainer.hpp"

#include "data/synthetic.hpp"
#include "error.hpp"
#include "nn/layers.hpp"
#include "nn/model_weights.hpp"
#include "opencd/methods/registry.hpp"
#include "opencd/methods/tuning.hpp"
#include "support/temporary_folder.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace opencd::test {

namespace {

constexpr std::size_t kKnown = 2;

data::ImageSet small_set() {
  return data::make_synthetic({.classes = 4, .per_class = 30, .size = 12, .seed = 3});
}

TrainerConfig small_config(const data::ImageSet& set) {
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

const Json kOptions = {{"prototypes", 12}, {"warm-epochs", 1}, {"grouping-epochs", 2}};

/// With all that the preset `small` adds.
Json small_options() {
  Json options = kOptions;
  options.update({{"warm-head-only", true}, {"grouping-sets", 3}, {"grouping-labels", true}});
  return options;
}

/// `opencd+` with all that it can add.
Json all_parts() {
  Json options = kOptions;
  options.update({{"balanced-targets", true}, {"strong-views", true}, {"whole-network", true}});
  return options;
}

/// As the method's authors train it, but for the size.
TrainerConfig config_of(const std::string& method, const Json& options, const data::ImageSet& set) {
  TrainerConfig config = small_config(set);
  const Recipe recipe = method_recipe(method, options);
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

struct MethodCase {
  std::string method = "opencd";
  Json options = kOptions;
};

std::vector<MethodCase> all_methods() {
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

/// A trainer with all that it looks at.
struct Training {
  explicit Training(data::ImageSet pictures, const MethodCase& choice = {})
      : Training(pictures,
                 data::open_world_split(pictures, {.known = kKnown, .labeled_ratio = 0.3}),
                 choice) {}
  Training(data::ImageSet pictures, data::OpenWorldSplit given, const MethodCase& choice)
      : set(std::move(pictures)),
        split(std::move(given)),
        trainer(test_engine(),
                set,
                split,
                config_of(choice.method, choice.options, set),
                4,
                [&](const MethodContext& context) {
                  return make_method(choice.method, context, choice.options);
                }) {}

  void run(std::size_t steps) {
    for (std::size_t i = 0; i < steps && !trainer.done(); ++i) {
      trainer.begin_epoch_if_due();
      trainer.step();
    }
    trainer.check_finite();
  }
  std::size_t all_steps() const {
    return trainer.steps_per_epoch() * static_cast<std::size_t>(trainer.epochs());
  }
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

Ending ending(Training& training) {
  training.run(training.all_steps());
  training.trainer.finish();
  Ending end{training.weights(), {}};
  for (const Prediction& prediction : training.trainer.predict_train(training.split.unlabeled))
    end.groups.push_back(prediction.group);
  return end;
}

/// Of an unbroken run; several tests compare with the same one.
const Ending& unbroken(const MethodCase& choice = {}) {
  static std::map<std::string, Ending> endings;
  const auto [at, first] = endings.try_emplace(choice.method + choice.options.dump());
  if (first) {
    Training training(small_set(), choice);
    at->second = ending(training);
  }
  return at->second;
}

/// What a run comes to that is saved after `stop` steps and goes on as another.
Ending broken_off(const MethodCase& choice, std::size_t stop) {
  const TemporaryFolder folder;
  Training first(small_set(), choice);
  first.run(stop);
  first.trainer.save(folder.path());
  const Json state = first.trainer.state();

  Training second(small_set(), choice);
  second.trainer.restore(folder.path(), state);
  CHECK(second.trainer.position() == first.trainer.position());
  const Ending end = ending(second);
  CHECK(second.trainer.done());
  return end;
}

}  // namespace

TEST_SUITE("opencd/trainer") {
  TEST_CASE("a run repeats itself to the last bit, broken off or not") {
    Training whole(small_set());
    const std::size_t epoch = whole.trainer.steps_per_epoch();
    const std::size_t steps = whole.all_steps();
    CHECK(ending(whole) == unbroken());
    for (const std::size_t stop : {std::size_t{1}, epoch, steps - 2}) {
      CAPTURE(stop);
      CHECK(broken_off({}, stop) == unbroken());
    }
  }

  TEST_CASE("every method ends with the same several groups to the last bit, broken off or not") {
    for (const MethodCase& choice : all_methods()) {
      CAPTURE(choice.method);
      const Ending& end = unbroken(choice);
      const std::set<std::int32_t> groups(end.groups.begin(), end.groups.end());
      CHECK_GT(groups.size(), 1);
      CHECK_GE(*groups.begin(), 0);
      CHECK_LT(*groups.rbegin(), 4);
      // In the last epoch, when DTC has made new targets.
      Training training(small_set(), choice);
      CHECK(broken_off(choice, training.all_steps() - 1) == end);
    }
  }

  TEST_CASE(
      "opencd+ trains the whole network once the groups are fixed, not before, and if asked to") {
    Training training(small_set(), {"opencd+", all_parts()});
    const std::vector<float> stem = training.read("conv1.weight");
    const std::vector<float> late = training.read("layer3.0.conv1.weight");
    training.run(2 * training.trainer.steps_per_epoch());
    CHECK(training.read("conv1.weight") == stem);
    CHECK(training.read("layer3.0.conv1.weight") != late);
    training.run(1);
    CHECK(training.read("conv1.weight") != stem);
    Training frozen(small_set(), {"opencd+", kOptions});
    frozen.run(frozen.all_steps());
    CHECK(frozen.read("conv1.weight") == stem);
  }

  TEST_CASE("the warm stage leaves the encoder as it is, if it is asked to") {
    Training training(small_set(), {"opencd", small_options()});
    const std::vector<float> encoder = training.read("layer4.1.conv2.weight");
    const std::vector<float> head = training.read("head.3.weight");
    training.run(training.trainer.steps_per_epoch());
    CHECK(training.read("layer4.1.conv2.weight") == encoder);
    CHECK(training.read("head.3.weight") != head);
    training.run(1);
    CHECK(training.read("layer4.1.conv2.weight") != encoder);
  }

  TEST_CASE("averaged weights are what is saved and what predicts, and training goes on without") {
    Training training(small_set(), {"fixmatch", Json::object()});
    training.run(2);
    const std::vector<float> before = training.weights();
    const TemporaryFolder folder;
    training.trainer.save(folder.path());
    CHECK(training.weights() == before);
    nn::ParameterSet& parameters = training.trainer.model().parameters();
    const std::string name = "classifier.weight";
    const std::vector<float> current = parameters.read(*parameters.find(name));
    nn::load_model(folder / "model.safetensors", parameters);
    CHECK(parameters.read(*parameters.find(name)) != current);
  }

  TEST_CASE("hidden labels change no weight and no group, with any method") {
    for (const MethodCase& choice : all_methods()) {
      CAPTURE(choice.method);
      data::ImageSet set = small_set();
      const data::OpenWorldSplit split =
          data::open_world_split(set, {.known = kKnown, .labeled_ratio = 0.3});
      // The classes of all unlabelled rows, turned round; the split stays as it was.
      for (const std::uint32_t row : split.unlabeled)
        set.train.labels[row] = 3 - set.train.labels[row];
      Training blind(std::move(set), split, choice);
      CHECK(ending(blind) == unbroken(choice));
    }
  }

  TEST_CASE("a steady step allocates nothing, with any method") {
    for (const MethodCase& choice : all_methods()) {
      CAPTURE(choice.method);
      Training training(small_set(), choice);
      training.run(2);
      const std::size_t before = test_device().memory().allocations;
      training.trainer.step();
      training.trainer.check_finite();
      CHECK(test_device().memory().allocations == before);
    }
  }

  TEST_CASE("a gradient that is not finite stops training before the update") {
    Training training(small_set());
    training.run(1);
    nn::ParameterSet& parameters = training.trainer.model().parameters();
    const nn::Parameter& prototypes = *parameters.find("prototypes");
    std::vector<float> values = parameters.read(prototypes);
    values[0] = std::numeric_limits<float>::quiet_NaN();
    parameters.write(prototypes, values);
    const nn::Parameter& head = *parameters.find("head.3.weight");
    const std::vector<float> before = parameters.read(head);
    training.trainer.step();
    CHECK_THROWS_AS(training.trainer.check_finite(), NonFiniteError);
    CHECK(parameters.read(head) == before);
  }

  TEST_CASE("a checkpoint of another model is refused and changes nothing") {
    const TemporaryFolder folder;
    Training other(small_set(), {"opencd", {{"prototypes", 13}}});
    other.trainer.save(folder.path());
    Training training(small_set());
    const std::vector<float> before = training.weights();
    CHECK_THROWS_AS(training.trainer.restore(folder.path(), other.trainer.state()), FormatError);
    CHECK(training.weights() == before);
  }

  TEST_CASE("an interrupt ends the reading of features and leaves the epoch to be begun") {
    Training training(small_set());
    training.run(training.trainer.steps_per_epoch());
    const Json before = training.trainer.state();
    training.trainer.set_interrupt([] { return true; });
    CHECK_THROWS_AS(training.trainer.begin_epoch_if_due(), Interrupted);
    CHECK(training.trainer.state() == before);
  }
}

}  // namespace opencd::test
