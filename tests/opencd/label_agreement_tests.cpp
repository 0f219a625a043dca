#include "opencd/label_agreement.hpp"

#include <doctest/doctest.h>

#include <algorithm>

namespace opencd::test {

namespace {

/// Every prototype as like any other by the rows they share; counts of two known classes.
PrototypeEvidence all_alike(const std::vector<std::int64_t>& labelled,
                            const std::vector<double>& rows) {
  const std::size_t size = rows.size();
  return {
      AffinityMatrix{std::vector<double>(size * size, 0.5), size}, {size, 2, labelled}, rows, {}};
}

}  // namespace

TEST_SUITE_BEGIN("opencd/label_agreement");

TEST_CASE("affinities are multiplied by the shares of classes that two prototypes have in common") {
  const AffinityMatrix affinity =
      affinity_by_labels(all_alike({45, 0, 15, 10, 0, 10}, {500, 500, 1000}), 0.1);
  // Over all rows 0.3 are of the first class and 0.1 of the second, which counts like 5 labelled rows beside
  // the 50, 50 and 100 that the prototypes would have if all their rows were of known classes.
  const double l[3][3] = {{46.5 / 55, 0.5 / 55, 8.0 / 55},
                          {16.5 / 55, 10.5 / 55, 28.0 / 55},
                          {1.5 / 105, 10.5 / 105, 93.0 / 105}};
  CHECK_EQ(affinity.at(0, 1), doctest::Approx(0.5 * (l[1][0] + l[0][1] + l[0][2])));
  CHECK_EQ(affinity.at(1, 2), doctest::Approx(0.5 * (l[2][0] + l[2][1] + l[1][2])));
  CHECK_EQ(affinity.at(0, 2), doctest::Approx(0.5 * (l[2][0] + l[0][1] + l[0][2])));
  CHECK_EQ(affinity.at(2, 1), affinity.at(1, 2));
}

TEST_CASE(
    "prototypes of two known classes are hardly alike, nor are those with labels and without") {
  const AffinityMatrix affinity = affinity_by_labels(
      all_alike({1000, 0, 1000, 0, 0, 1000, 0, 0, 0, 0}, std::vector<double>(5, 10'000)), 0.1);
  CHECK_GT(affinity.at(0, 1), 0.49);  // one known class
  CHECK_GT(affinity.at(3, 4), 0.49);  // classes without labels
  CHECK_LT(affinity.at(0, 2), 0.01);
  CHECK_LT(affinity.at(0, 3), 0.01);
}

TEST_CASE("few labels change little, and none nothing") {
  const AffinityMatrix few =
      affinity_by_labels(all_alike({1, 0, 0, 1, 0, 0}, std::vector<double>(3, 10)), 0.1);
  for (const double value : few.values()) CHECK_GT(value, 0.35);
  const PrototypeEvidence none = all_alike(std::vector<std::int64_t>(6, 0), {10, 0, 10});
  const AffinityMatrix same = affinity_by_labels(none, 0.0);
  CHECK(std::equal(same.values().begin(), same.values().end(), none.affinity.values().begin()));
}

TEST_CASE("more labelled rows than the rate expects are still of classes that add up to one") {
  const AffinityMatrix affinity = affinity_by_labels(all_alike({50, 50, 100, 0}, {100, 100}), 0.1);
  for (const double value : affinity.values()) CHECK_LE(value, 0.5 + 1e-12);
}

TEST_SUITE_END();

}  // namespace opencd::test
