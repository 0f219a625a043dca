// OpenNCD at the sizes of CIFAR-100: 500 prototypes, 100 classes, cosines in the graph. What is compared
// with other programs at these sizes is in authors_tests.cpp.
#include "nn/layers.hpp"
#include "opencd/feature_trainer.hpp"
#include "opencd/methods/registry.hpp"
#include "support/planted_features.hpp"
#include "support/trivial_answers.hpp"

#include <doctest/doctest.h>

#include <cmath>

namespace opencd::test {

namespace {

constexpr std::size_t kClasses = 100;

PlantedFeatures hundred_classes() {
  return planted({.classes = kClasses,
                  .rows = 3000,
                  .columns = 32,
                  .known = 50,
                  .spread = 0.2,
                  .labelled = 10});
}

/// As the authors' program has it for CIFAR-100.
const Json kSizes = {{"prototypes", 500},
                     {"affinity-share", 0.9},
                     {"kappa", 10},
                     {"warm-epochs", 1},
                     {"grouping-epochs", 4}};

}  // namespace

TEST_SUITE_BEGIN("opencd/cifar100_sizes");

TEST_CASE(
    "whole epochs of 500 prototypes find a hundred planted classes, known ones by their name") {
  const PlantedFeatures features = hundred_classes();
  FeatureTrainerConfig config{.batch = 512, .epochs = 4, .seed = 3, .deterministic = true};
  config.schedule.learning_rate = 2e-3;
  FeatureTrainer trainer(
      test_engine(),
      {features.values, features.columns, features.labels, features.known, features.classes},
      config, [&](const MethodContext& context) { return make_method("opencd", context, kSizes); });
  while (!trainer.done()) {
    trainer.step();
    for (const auto& [name, loss] : trainer.method().losses()) {
      CAPTURE(name);
      REQUIRE(std::isfinite(loss));
    }
  }
  trainer.finish();
  CHECK_EQ(trainer.method().groups().found, kClasses);
  const double accuracy = planted_accuracy(features, trainer.predict());
  const TrivialScores trivial =
      trivial_scores(features.rows, kClasses, [&](const std::vector<std::int32_t>& answer) {
        std::vector<Prediction> predictions;
        for (const std::int32_t group : answer) predictions.push_back({.group = group});
        return planted_accuracy(features, predictions);
      });
  CHECK_LT(trivial.best(), 0.1);
  CHECK_GE(accuracy, 0.7);
}

TEST_SUITE_END();

}  // namespace opencd::test
