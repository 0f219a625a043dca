#include "opencd/prototype_sets.hpp"

#include "kernels/normalize.hpp"
#include "nn/layers.hpp"
#include "opencd/class_count.hpp"
#include "support/planted_features.hpp"

#include <doctest/doctest.h>

#include <numeric>

namespace opencd::test {

namespace {

constexpr std::size_t kPrototypeCount = 30;

struct PlantedSets {
  PlantedFeatures features;
  kernels::Buffer<float> unit;

  explicit PlantedSets(PlantedFeatures of)
      : features(planted(std::move(of))), unit(kernels::to_device(test_device(), features.values)) {
    const kernels::Buffer<float> norms(test_device(), features.rows);
    const Rows<float> rows = unit.rows(features.rows, features.columns);
    kernels::normalize_rows(test_device(), rows, rows, norms);
  }

  std::vector<PrototypeEvidence> others(std::uint32_t seed = 0) const {
    return evidence_about_other_sets(
        test_engine(), unit.rows(features.rows, features.columns),
        {features.labels, features.known},
        {.sets = 5,
         .affinity = {.prototypes = kPrototypeCount, .dimensions = features.columns},
         .seed = seed});
  }
};

bool same(const PrototypeEvidence& left, const PrototypeEvidence& right) {
  return left.rows == right.rows && left.labelled.counts == right.labelled.counts &&
         std::equal(left.affinity.values().begin(), left.affinity.values().end(),
                    right.affinity.values().begin());
}

}  // namespace

TEST_SUITE_BEGIN("opencd/prototype_sets");

TEST_CASE("every row is near one prototype of every set, and labelled rows are counted") {
  const PlantedSets planted({.rows = 901, .columns = 17});
  const auto sets = planted.others();
  REQUIRE_EQ(sets.size(), 5);
  for (const PrototypeEvidence& set : sets) {
    CHECK_EQ(set.prototypes(), kPrototypeCount);
    CHECK_EQ(std::accumulate(set.rows.begin(), set.rows.end(), 0.0), 901.0);
    CHECK_EQ(set.labelled.rows(), 3 * 20);
  }
}

TEST_CASE("sets differ from each other, and are the same again with the same seed") {
  const PlantedSets planted({});
  const auto sets = planted.others();
  const auto again = planted.others();
  for (std::size_t i = 0; i < sets.size(); ++i) {
    CHECK(same(sets[i], again[i]));
    for (std::size_t j = 0; j < i; ++j) CHECK_FALSE(same(sets[i], sets[j]));
  }
  CHECK_FALSE(same(planted.others(1).front(), sets.front()));
}

TEST_CASE("together they count planted classes") {
  const PlantedSets planted({.classes = 8, .rows = 2000, .known = 4});
  const auto sets = planted.others();
  const ClassCount count = count_classes(sets);
  CHECK_EQ(count.found, 8);
  CHECK_LE(count.least, 8);
  CHECK_GE(count.most, 8);
}

TEST_CASE("few rows make smaller sets, and very few none") {
  const PlantedSets some({.rows = 20 * 10 + 5});
  CHECK_EQ(some.others().front().prototypes(), 10);
  const PlantedSets few({.rows = 2});
  CHECK(few.others().empty());
}

TEST_SUITE_END();

}  // namespace opencd::test
