#include "opencd/methods/feature_kmeans.hpp"

#include "error.hpp"
#include "nn/model_weights.hpp"
#include "opencd/methods/registry.hpp"
#include "support/message.hpp"
#include "support/planted_features.hpp"
#include "support/temporary_folder.hpp"

namespace opencd::test {

namespace {

/// A method without an encoder, on features of its own.
struct Baseline {
  nn::Engine engine{test_device()};
  nn::Model model{engine};
  std::unique_ptr<Method> method;

  Baseline(const char* name, const PlantedFeatures& planted, std::size_t classes) {
    method = make_method(name,
                         {.model = model,
                          .features = static_cast<std::int64_t>(planted.columns),
                          .batch = 2,
                          .known = planted.known,
                          .classes = classes,
                          .seed = 7},
                         Json::object());
    model.allocate();
    method->allocate();
  }
};

bool same(const std::vector<Prediction>& left, const std::vector<Prediction>& right) {
  return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [](const Prediction& a, const Prediction& b) {
                      return a.group == b.group && a.confidence == b.confidence &&
                             a.margin == b.margin && a.likeness == b.likeness;
                    });
}

}  // namespace

TEST_SUITE_BEGIN("opencd/feature_kmeans");

TEST_CASE("planted classes are found, and the known ones come first in their order") {
  const PlantedFeatures features = planted({});
  for (const char* name : {"simclr-kmeans", "gcd-kmeans"}) {
    CAPTURE(name);
    CHECK(is_training_free(name));
    Baseline baseline(name, features, features.classes);
    TrainingFeaturesOf training(features);
    baseline.method->finish(training);
    const auto predictions = baseline.method->predict(training.all());
    CHECK_GE(planted_accuracy(features, predictions), 0.98);
    for (const Prediction& p : predictions) {
      CHECK_GT(p.confidence, 1.0f / static_cast<float>(features.classes));
      CHECK_LE(p.margin, p.confidence);
      CHECK_LE(p.likeness, 1.0001f);
    }
    CHECK_EQ(baseline.method->groups().found, features.classes);
  }
}

TEST_CASE("labels keep the classes apart that k-means alone mixes") {
  const PlantedFeatures features = planted({.columns = 8, .known = 4, .spread = 1.2, .seed = 3});
  std::vector<double> accuracies;
  for (const char* name : {"simclr-kmeans", "gcd-kmeans"}) {
    Baseline baseline(name, features, features.classes);
    TrainingFeaturesOf training(features);
    baseline.method->finish(training);
    accuracies.push_back(planted_accuracy(features, baseline.method->predict(training.all())));
  }
  CHECK_GT(accuracies[1], accuracies[0]);
}

TEST_CASE("the same seed gives the same bits, and a restored model predicts the same") {
  const PlantedFeatures features = planted({});
  const TemporaryFolder folder;
  Baseline first("gcd-kmeans", features, features.classes);
  TrainingFeaturesOf training(features);
  first.method->finish(training);
  const auto predictions = first.method->predict(training.all());
  Baseline second("gcd-kmeans", features, features.classes);
  second.method->finish(training);
  CHECK(same(predictions, second.method->predict(training.all())));

  nn::save_model(folder / "model.safetensors", first.model.parameters());
  Baseline restored("gcd-kmeans", features, features.classes);
  nn::load_model(folder / "model.safetensors", restored.model.parameters());
  restored.method->restore(first.method->state());
  CHECK(same(predictions, restored.method->predict(training.all())));
  CHECK_EQ(restored.method->figures(), first.method->figures());
  CHECK_THROWS_AS(restored.method->restore(Json::object()), FormatError);
}

TEST_CASE("it needs the number of classes, all of them, and no steps") {
  const PlantedFeatures features = planted({});
  const auto message = [&](std::size_t classes) {
    return message_of<UsageError>([&] { Baseline("simclr-kmeans", features, classes); });
  };
  CHECK_CONTAINS(message(0), "--classes N");
  CHECK_CONTAINS(message(2), "3 known classes");
  Baseline baseline("simclr-kmeans", features, features.classes);
  CHECK_THROWS_AS(baseline.method->step({}), UsageError);
}

TEST_SUITE_END();

}  // namespace opencd::test
