#include "opencd/consensus_affinity.hpp"

#include "error.hpp"

#include <doctest/doctest.h>

namespace opencd::test {

namespace {

using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;

/// Prototypes of which these pairs are alike.
PrototypeEvidence evidence(std::size_t prototypes,
                           const Pairs& pairs,
                           const std::vector<std::int32_t>& nearest) {
  std::vector<double> values(prototypes * prototypes, 0.01);
  for (const auto& [i, j] : pairs) values[i * prototypes + j] = values[j * prototypes + i] = 1.0;
  std::vector<double> rows(prototypes, 0.0);
  for (const std::int32_t prototype : nearest) rows[static_cast<std::size_t>(prototype)] += 1.0;
  return {AffinityMatrix{std::span<const double>(values), prototypes},
          {prototypes, 0, {}},
          rows,
          nearest};
}

}  // namespace

TEST_SUITE_BEGIN("opencd/consensus_affinity");

TEST_CASE("it is the chance of rows of two prototypes to be in one group, the mean over sets") {
  const std::vector<PrototypeEvidence> sets = {
      evidence(4, {{0, 1}, {2, 3}}, {0, 0, 1, 1, 2, 2, 3, 3}),
      // Rows 0, 1, 2 in one group, the others in the other.
      evidence(4, {{0, 3}, {1, 2}}, {0, 3, 0, 1, 1, 2, 2, 2})};
  const AffinityMatrix affinity = consensus_affinity(sets, {.groups = 2});
  CHECK_EQ(affinity.at(0, 1), doctest::Approx((1.0 + 0.5) / 2));
  CHECK_EQ(affinity.at(0, 2), doctest::Approx(0.0));
  CHECK_EQ(affinity.at(1, 2), doctest::Approx((0.0 + 0.5) / 2));
  CHECK_EQ(affinity.at(2, 3), doctest::Approx(1.0));
  CHECK_EQ(affinity.at(3, 2), affinity.at(2, 3));
}

TEST_CASE("a cut that most sets do not have is overruled") {
  const std::vector<std::int32_t> rows = {0, 0, 1, 1, 2, 2, 3, 3};
  std::vector<PrototypeEvidence> sets = {evidence(4, {{0, 2}, {1, 3}}, rows)};
  CHECK_EQ(spectral(consensus_affinity(sets, {.groups = 2}), {.groups = 2}).group_of,
           std::vector<std::int32_t>{0, 1, 0, 1});
  for (int i = 0; i < 3; ++i) sets.push_back(evidence(4, {{0, 1}, {2, 3}}, rows));
  CHECK_EQ(spectral(consensus_affinity(sets, {.groups = 2}), {.groups = 2}).group_of,
           std::vector<std::int32_t>{0, 0, 1, 1});
}

TEST_CASE("a prototype without rows keeps what its own set says of it") {
  const std::vector<PrototypeEvidence> sets = {
      evidence(5, {{0, 1}, {2, 3}, {3, 4}}, {0, 1, 2, 3, 0}),
      evidence(4, {{0, 1}, {2, 3}}, {0, 1, 2, 3, 0})};
  const AffinityMatrix affinity = consensus_affinity(sets, {.groups = 2});
  CHECK_EQ(affinity.at(4, 3), 1.0);
  CHECK_EQ(affinity.at(4, 0), doctest::Approx(0.01));
}

TEST_CASE("sets must look at the same rows, and there must be one") {
  const std::vector<PrototypeEvidence> sets = {evidence(2, {}, {0, 1, 1}), evidence(2, {}, {0, 1})};
  CHECK_THROWS_AS(consensus_affinity(sets, {.groups = 2}), ShapeError);
  CHECK_THROWS_AS(consensus_affinity({}, {.groups = 2}), UsageError);
}

TEST_SUITE_END();

}  // namespace opencd::test
