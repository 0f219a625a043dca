#include "opencd/feature_trainer.hpp"

#include "error.hpp"
#include "opencd/discovery_settings.hpp"
#include "opencd/methods/registry.hpp"
#include "support/message.hpp"
#include "support/planted_features.hpp"
#include "support/temporary_folder.hpp"

#include <cmath>
#include <limits>

namespace opencd::test {

namespace {

LabelledFeatures described(const PlantedFeatures& p, std::size_t classes) {
  return {p.values, p.columns, p.labels, p.known, classes};
}

struct Discovery {
  nn::Engine engine{test_device()};
  DiscoverySettings settings;
  FeatureTrainer trainer;

  Discovery(const PlantedFeatures& p,
            std::size_t classes,
            std::int64_t epochs = 4,
            const char* method = "opencd",
            const Json& more = Json::object())
      : settings(
            discovery_settings({.rows = p.rows,
                                .columns = p.columns,
                                .known = p.known,
                                .classes = classes,
                                .epochs = epochs,
                                .labelled_share = method == std::string("opencd+") ? 0.25 : 0.0})),
        trainer(engine, described(p, classes), settings.trainer, [&](const MethodContext& context) {
          Json options = to_json(settings.method);
          options.update(more);
          return make_method(method, context, options);
        }) {}

  std::vector<Prediction> run() {
    while (!trainer.done()) trainer.step();
    trainer.finish();
    return trainer.predict();
  }
};

PlantedFeatures without_labels(PlantedFeatures p) {
  p.known = 0;
  std::fill(p.labels.begin(), p.labels.end(), -1);
  return p;
}

}  // namespace

TEST_SUITE_BEGIN("opencd/feature_trainer");

TEST_CASE("finds planted classes, known ones first, when their number is given") {
  const PlantedFeatures features = planted({});
  Discovery discovery(features, features.classes);
  CHECK_GE(planted_accuracy(features, discovery.run()), 0.97);
}

TEST_CASE("counts planted classes within a fifth, with labels and without") {
  const PlantedFeatures labelled =
      planted({.classes = 10, .rows = 1500, .known = 5, .spread = 0.4});
  for (const PlantedFeatures& features : {labelled, without_labels(labelled)}) {
    CAPTURE(features.known);
    Discovery discovery(features, 0, 6);
    const auto predictions = discovery.run();
    const GroupCount count = discovery.trainer.method().groups();
    CHECK_GE(count.found, 8);
    CHECK_LE(count.found, 12);
    CHECK_LE(count.low, count.found);
    CHECK_GE(count.high, count.found);
    CHECK_GE(planted_accuracy(features, predictions), 0.8);
  }
}

TEST_CASE("opencd+ finds planted classes with few, many and no labels") {
  for (const std::size_t labelled : {2, 90}) {
    CAPTURE(labelled);
    const PlantedFeatures features = planted({.labelled = labelled});
    Discovery discovery(features, features.classes, 4, "opencd+");
    CHECK_GE(planted_accuracy(features, discovery.run()), 0.97);
  }
  const PlantedFeatures features = without_labels(planted({}));
  Discovery discovery(features, features.classes, 4, "opencd+");
  CHECK_GE(planted_accuracy(features, discovery.run()), 0.97);
}

// L_reg pulls groups to equal shares of the rows, and balanced prediction gives them equal shares.
TEST_CASE(
    "classes of which every second has half the rows are found, if groups need not be equal") {
  const PlantedFeatures features = planted({.rows = 900, .uneven = 2});
  Discovery plain(features, features.classes);
  CHECK_GE(planted_accuracy(features, plain.run()), 0.95);
  Discovery plus(features, features.classes, 4, "opencd+", {{"balanced-prediction", false}});
  CHECK_GE(planted_accuracy(features, plus.run()), 0.95);
  Discovery balanced(features, features.classes, 4, "opencd+");
  CHECK_GE(planted_accuracy(features, balanced.run()), 0.8);
}

TEST_CASE("classes of which every second has a quarter of the rows are counted within a fifth") {
  const PlantedFeatures features =
      planted({.classes = 10, .rows = 2500, .known = 5, .spread = 0.4, .uneven = 4});
  Discovery discovery(features, 0, 6);
  const auto predictions = discovery.run();
  const GroupCount count = discovery.trainer.method().groups();
  CHECK_GE(count.found, 8);
  CHECK_LE(count.found, 12);
  CHECK_GE(planted_accuracy(features, predictions), 0.6);  // equal shares cost the rest
}

TEST_CASE("the same seed gives the same model to the bit") {
  const PlantedFeatures features = planted({});
  const TemporaryFolder folder;
  std::vector<Prediction> predictions[2];
  for (int i = 0; i < 2; ++i) {
    Discovery discovery(features, features.classes, 2);
    predictions[i] = discovery.run();
    discovery.trainer.save(folder / std::to_string(i));
  }
  for (std::size_t row = 0; row < features.rows; ++row) {
    REQUIRE_EQ(predictions[0][row].group, predictions[1][row].group);
    REQUIRE_EQ(predictions[0][row].confidence, predictions[1][row].confidence);
  }
  const auto bytes = [&](const char* name) {
    std::ifstream file(folder / name, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  CHECK_GT(bytes("0").size(), 1000);
  CHECK_EQ(bytes("0"), bytes("1"));
}

TEST_CASE("scale and offset of the features do not matter") {
  const PlantedFeatures features = planted({});
  PlantedFeatures moved = features;
  for (float& value : moved.values) value = 1000.0f * value + 5000.0f;
  Discovery discovery(moved, moved.classes);
  CHECK_GE(planted_accuracy(moved, discovery.run()), 0.97);
}

TEST_CASE("works on few rows, shrinking the batch, and on one label in all") {
  PlantedFeatures few =
      planted({.classes = 2, .rows = 11, .columns = 3, .known = 1, .labelled = 1});
  Discovery discovery(few, 2, 1);
  CHECK_EQ(discovery.trainer.batch(), 2);
  CHECK_EQ(discovery.run().size(), 11);
  few.rows = 1;
  few.labels.resize(1);
  CHECK_CONTAINS(message_of<UsageError>([&] { Discovery(few, 0); }), "2 rows or more");
}

TEST_CASE("a batch that is not finite is named before an update is made with it") {
  PlantedFeatures features = planted({});
  for (float& value : features.values) value *= 1e30f;  // squares overflow in the network
  features.values[5] = std::numeric_limits<float>::infinity();
  Discovery discovery(features, features.classes, 1);
  CHECK_CONTAINS(message_of<NonFiniteError>([&] { discovery.run(); }), "epoch 1, step 1");
}

TEST_SUITE_END();

}  // namespace opencd::test
