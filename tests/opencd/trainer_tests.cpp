// The trainer on a small synthetic set: what it may know, what it repeats, what it survives.
#include "opencd/trainer.hpp"

#include "data/synthetic.hpp"
#include "error.hpp"
#include "nn/layers.hpp"
#include "opencd/methods/registry.hpp"
#include "support/temporary_folder.hpp"

#include <algorithm>

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

/// A trainer with all that it looks at.
struct Training {
  explicit Training(data::ImageSet pictures, const Json& options = kOptions)
      : set(std::move(pictures)),
        split(data::open_world_split(set, {.known = kKnown, .labeled_ratio = 0.3})),
        trainer(test_engine(), set, split, small_config(set), 4, [&](const MethodContext& context) {
          return make_method("opencd", context, options);
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

/// The weights at the end of an unbroken run.
std::vector<float> final_weights() {
  Training training(small_set());
  training.run(training.all_steps());
  return training.weights();
}

}  // namespace

TEST_SUITE("opencd/trainer") {
  TEST_CASE("a run repeats itself to the last bit, broken off or not") {
    const std::vector<float> expected = final_weights();
    Training whole(small_set());
    const std::size_t steps = whole.all_steps();
    whole.run(steps);
    CHECK(whole.weights() == expected);
    CHECK(whole.trainer.done());
    for (const std::size_t stop : {std::size_t{1}, whole.trainer.steps_per_epoch(), steps - 2}) {
      CAPTURE(stop);
      const TemporaryFolder folder;
      Training first(small_set());
      first.run(stop);
      first.trainer.save(folder.path());
      const Json state = first.trainer.state();

      Training second(small_set());
      second.trainer.restore(folder.path(), state);
      CHECK(second.trainer.position() == first.trainer.position());
      second.run(steps);
      CHECK(second.weights() == expected);
    }
  }

  TEST_CASE("hidden labels change no weight") {
    const std::vector<float> expected = final_weights();
    data::ImageSet set = small_set();
    const data::OpenWorldSplit split =
        data::open_world_split(set, {.known = kKnown, .labeled_ratio = 0.3});
    Training training(small_set());
    // The classes of all unlabelled rows, turned round; the split stays as it was.
    for (const std::uint32_t row : split.unlabeled)
      training.set.train.labels[row] = 3 - training.set.train.labels[row];
    Trainer blind(
        test_engine(), training.set, split, small_config(set), 4,
        [](const MethodContext& context) { return make_method("opencd", context, kOptions); });
    while (!blind.done()) {
      blind.begin_epoch_if_due();
      blind.step();
    }
    std::vector<float> weights;
    for (const nn::Parameter& parameter : blind.model().parameters().all()) {
      const std::vector<float> values = blind.model().parameters().read(parameter);
      weights.insert(weights.end(), values.begin(), values.end());
    }
    CHECK(weights == expected);
  }

  TEST_CASE("a steady step allocates nothing") {
    Training training(small_set());
    training.run(2);
    const std::size_t before = test_device().memory().allocations;
    training.trainer.step();
    training.trainer.check_finite();
    CHECK(test_device().memory().allocations == before);
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
    Training other(small_set(), {{"prototypes", 13}});
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
