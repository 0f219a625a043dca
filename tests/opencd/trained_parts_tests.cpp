// Which parameters an epoch trains, and how long it is.
#include "support/small_training.hpp"

namespace opencd::test {

TEST_SUITE("opencd/trained_parts") {
  TEST_CASE("an epoch of tuning is a pass over the labelled rows") {
    for (const char* method : {"rankstats", "dtc"}) {
      CAPTURE(method);
      Training training(small_set(), {method, {{"tuning-share", 0.4}}, 5});
      const std::size_t labelled = training.split.labeled.size();
      const data::EpochSteps& steps = training.trainer.steps();
      CHECK_EQ(steps.of(0), std::max<std::size_t>(1, labelled / 24));
      CHECK_EQ(steps.of(1), steps.of(0));
      CHECK_GT(steps.of(2), steps.of(1));
      CHECK_EQ(training.all_steps(), 2 * steps.of(0) + 3 * steps.of(2));
      training.run(2 * steps.of(0));
      CHECK_EQ(training.trainer.position().epoch, 2);
      CHECK_EQ(training.trainer.position().step, 0);
      CHECK_EQ(training.trainer.steps_done(), 2 * steps.of(0));
    }
  }

  TEST_CASE("a checkpoint of a run with other epochs of labelled rows is refused") {
    const TemporaryFolder folder;
    Training other(small_set(), {"rankstats", {{"tuning-share", 0.4}}, 5});
    other.run(other.trainer.steps().before(3));
    other.trainer.save(folder.path());
    Training training(small_set(), {"rankstats", {{"tuning-share", 0.2}}, 5});
    CHECK_THROWS_AS(training.trainer.restore(folder.path(), other.trainer.state()), FormatError);
    // As it was written when all epochs had as many steps.
    Json old = other.trainer.state();
    old.erase("steps_done");
    Training same(small_set(), {"rankstats", {{"tuning-share", 0.4}}, 5});
    CHECK_THROWS_AS(same.trainer.restore(folder.path(), old), FormatError);
    same.trainer.restore(folder.path(), other.trainer.state());
  }

  TEST_CASE("tuning moves the encoder and its own head, and no weight decay shrinks the others") {
    const struct {
      const char* method;
      const char* tuned;
      std::vector<const char*> later;
    } cases[] = {{"rankstats", "head1.weight", {"head2.weight"}},
                 {"dtc", "classifier.weight", {"embedding.weight", "cluster_centres"}}};
    for (const auto& [method, tuned, later] : cases) {
      CAPTURE(method);
      Training training(small_set(), {method, {{"tuning-share", 0.4}}, 5});
      const auto values = [&] {
        std::vector<std::vector<float>> all;
        for (const char* name : later) all.push_back(training.read(name));
        return all;
      };
      const auto before = values();
      const auto head = training.read(tuned);
      training.run(training.trainer.steps().before(2));
      CHECK(values() == before);
      CHECK(training.read(tuned) != head);
      training.run(1);
      for (std::size_t i = 0; i < later.size(); ++i) CHECK(values()[i] != before[i]);
      if (std::string(method) == "dtc") {  // its classifier has served
        const auto served = training.read(tuned);
        training.run(2);
        CHECK(training.read(tuned) == served);
      }
    }
  }

  TEST_CASE(
      "opencd+ trains the whole network once the groups are fixed, not before, and if asked to") {
    Training training(small_set(), {"opencd+", all_parts()});
    const std::vector<float> stem = training.read("conv1.weight");
    const std::vector<float> late = training.read("layer3.0.conv1.weight");
    training.run(2 * training.trainer.steps().usual);
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
    training.run(training.trainer.steps().usual);
    CHECK(training.read("layer4.1.conv2.weight") == encoder);
    CHECK(training.read("head.3.weight") != head);
    training.run(1);
    CHECK(training.read("layer4.1.conv2.weight") != encoder);
  }

  TEST_CASE("weight decay moves no part of the encoder before it is trained") {
    const auto with_decay = [](TrainerConfig& config) { config.optimizer.weight_decay = 0.1; };
    Training warm(small_set(), {"opencd", small_options()}, with_decay);
    const std::vector<float> encoder = warm.read("layer4.1.conv2.weight");
    warm.run(warm.trainer.steps().usual);
    CHECK(warm.read("layer4.1.conv2.weight") == encoder);
    Training plus(small_set(), {"opencd+", all_parts()}, with_decay);
    const std::vector<float> stem = plus.read("conv1.weight");
    plus.run(2 * plus.trainer.steps().usual);
    CHECK(plus.read("conv1.weight") == stem);
    plus.run(1);
    CHECK(plus.read("conv1.weight") != stem);
  }

  // As in frozen stages: features are evaluated with running statistics, which must be of these pictures.
  TEST_CASE("running statistics follow the batches in stages that are not trained yet") {
    for (const nn::FrozenNorm norm : {nn::FrozenNorm::batch, nn::FrozenNorm::fixed}) {
      Training training(small_set(), {"opencd", small_options()},
                        [&](TrainerConfig& config) { config.encoder.frozen_norm = norm; });
      const std::vector<float> frozen = training.read("bn1.running_mean");
      const std::vector<float> later = training.read("layer4.1.bn2.running_mean");
      training.run(2);
      CHECK_EQ(training.read("bn1.running_mean") == frozen, norm == nn::FrozenNorm::fixed);
      CHECK(training.read("layer4.1.bn2.running_mean") != later);
    }
  }
}

}  // namespace opencd::test
