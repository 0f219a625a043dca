// What the methods that OpenNCD is compared with make of features in which classes are planted: their
// heads alone are trained, on the features as they are.
#include "nn/layers.hpp"
#include "opencd/class_search.hpp"
#include "opencd/feature_trainer.hpp"
#include "opencd/methods/registry.hpp"
#include "support/planted_features.hpp"
#include "support/trivial_answers.hpp"

#include <doctest/doctest.h>

namespace opencd::test {

namespace {

/// Half of the classes are known, and 540 of the 600 rows unlabelled, 300 of them novel.
constexpr double kNovelShare = 300.0 / 540.0;

/// Close rows, of which RankStats finds the same largest features.
PlantedFeatures close_rows() { return planted({.columns = 32, .spread = 0.15}); }

std::vector<Prediction> train(const std::string& method,
                              const Json& options,
                              const PlantedFeatures& features) {
  FeatureTrainerConfig config{.batch = 100, .epochs = 3, .seed = 3, .deterministic = true};
  config.optimizer = method_recipe(method, options, features.known).optimizer;
  config.optimizer.ema_decay = 0.0;  // an average over thousands of steps; here are hundreds
  config.schedule.learning_rate =
      config.optimizer.kind == nn::OptimizerKind::adam ? 0.003 : 0.1;  // of heads alone
  FeatureTrainer trainer(
      test_engine(),
      {features.values, features.columns, features.labels, features.known, features.classes},
      config, [&](const MethodContext& context) { return make_method(method, context, options); });
  while (!trainer.done()) trainer.step();
  trainer.finish();
  return trainer.predict();
}

/// Of the rows of known classes, the share that is named rightly.
double known_accuracy(const PlantedFeatures& features, const std::vector<Prediction>& predictions) {
  std::size_t known = 0;
  std::size_t right = 0;
  for (std::size_t row = 0; row < features.rows; ++row) {
    if (static_cast<std::size_t>(features.truth[row]) >= features.known) continue;
    ++known;
    right += predictions[row].group == features.truth[row] ? 1 : 0;
  }
  return static_cast<double>(right) / static_cast<double>(known);
}

}  // namespace

TEST_SUITE_BEGIN("opencd/planted_methods");

TEST_CASE(
    "answers that need no learning, and clusters without names, are far below what is asked") {
  const PlantedFeatures features = close_rows();
  const auto accuracy = [&](const std::vector<std::int32_t>& answer) {
    std::vector<Prediction> predictions;
    for (const std::int32_t group : answer) predictions.push_back({.group = group});
    return planted_accuracy(features, predictions);
  };
  CHECK_LT(trivial_scores(features.rows, features.classes, accuracy).best(), 0.3);
  // Perfect clusters, numbered as k-means may number them: known classes are not in their place.
  std::vector<std::int32_t> clusters = features.truth;
  for (std::int32_t& cluster : clusters) cluster = (cluster + 1) % 6;
  CHECK_LT(accuracy(clusters), 0.6);
}

TEST_CASE("planted classes are found, the known ones first in their order") {
  const PlantedFeatures features = close_rows();
  const struct {
    std::string method;
    Json options;
    double accuracy;
  } cases[] = {{"orca", Json::object(), 0.95},
               {"gcd", Json::object(), 0.95},
               {"rankstats", Json::object(), 0.95},
               // There is no network to tune.
               {"dtc", {{"dtc-variant", "pi"}, {"tuning-share", 0.0}}, 0.95},
               {"dtc", {{"dtc-variant", "tep"}, {"tuning-share", 0.0}}, 0.95},
               // Not all novel rows are unlike the known ones.
               {"fixmatch", {{"novel-share", kNovelShare}}, 0.75}};
  for (const auto& [method, options, accuracy] : cases) {
    CAPTURE(method);
    CHECK_GE(planted_accuracy(features, train(method, options, features)), accuracy);
  }
}

TEST_CASE("classifiers name the known classes, and call as many rows novel as they are told") {
  const PlantedFeatures features = close_rows();
  for (const std::string method : {"fixmatch", "ds3l"}) {
    CAPTURE(method);
    CHECK_GE(known_accuracy(features, train(method, {{"novel-share", 0.0}}, features)), 0.98);
    const auto predictions = train(method, {{"novel-share", kNovelShare}}, features);
    std::ptrdiff_t novel = 0;
    std::set<std::int32_t> groups;
    for (std::size_t row = 0; row < features.rows; ++row)
      if (features.labels[row] < 0 && predictions[row].group >= 3) {
        ++novel;
        groups.insert(predictions[row].group);
      }
    CHECK_EQ(novel, 300);
    CHECK_EQ(groups.size(), 3);
  }
}

TEST_CASE("GCD counts planted classes by the labels alone") {
  const PlantedFeatures features = planted({.classes = 8, .known = 4, .spread = 0.3});
  const auto rows = kernels::to_device(test_device(), features.values);
  const std::size_t found =
      search_class_count(test_engine(), rows.rows(features.rows, features.columns), features.labels,
                         {.known = features.known, .most = 20, .seed = 5});
  CHECK_EQ(found, features.classes);
}

TEST_SUITE_END();

}  // namespace opencd::test
