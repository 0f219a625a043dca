// The trainer on a small synthetic set: what it may know, what it repeats, what it survives.
#include "support/small_training.hpp"

#include "nn/model_weights.hpp"

#include <set>

namespace opencd::test {

TEST_SUITE("opencd/trainer") {
  TEST_CASE("a run repeats itself to the last bit, broken off or not") {
    Training whole(small_set());
    const std::size_t epoch = whole.trainer.steps().usual;
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

  TEST_CASE("a run comes to the same wherever a signal ends the reading of features") {
    for (const MethodCase& choice : {averaging_dtc(), MethodCase{}}) {
      CAPTURE(choice.method);
      std::size_t place = 0;
      while (const std::optional<Ending> end = interrupted(choice, place)) {
        CAPTURE(place);
        CHECK(*end == unbroken(choice));
        ++place;
      }
      CHECK_GE(place, 3);
    }
  }

  TEST_CASE("DTC with averages comes to the same after a stop in any kind of epoch, at any step") {
    const MethodCase choice = averaging_dtc();
    const Training training(small_set(), choice);
    const data::EpochSteps& steps = training.trainer.steps();
    for (std::size_t epoch = 0; epoch < 5; ++epoch)
      for (const std::size_t stop : {steps.before(epoch) + 1, steps.before(epoch + 1) - 1}) {
        CAPTURE(stop);
        CHECK(broken_off(choice, stop) == unbroken(choice));
      }
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
      // In the last epoch, when tuning is over; its first step may.
      training.run(training.trainer.steps().before(2) + 2);
      const std::size_t before = test_device().memory().allocations;
      training.trainer.step();
      training.trainer.check_finite();
      CHECK(test_device().memory().allocations == before);
    }
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
    training.run(training.trainer.steps().usual);
    const Json before = training.trainer.state();
    training.trainer.set_interrupt([] { return true; });
    CHECK_THROWS_AS(training.trainer.begin_epoch_if_due(), Interrupted);
    CHECK(training.trainer.state() == before);
  }
}

}  // namespace opencd::test
