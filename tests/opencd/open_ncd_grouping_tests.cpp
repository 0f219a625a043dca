#include "opencd/methods/open_ncd_grouping.hpp"

#include <doctest/doctest.h>

namespace opencd::test {

namespace {

constexpr std::size_t kClothes = 6;  // prototypes

/// Prototypes 0 and 1 are coats, 2 and 3 shirts, 4 and 5 bags. Coats and bags have labels; by the rows they
/// share, shirts are like coats, and two kinds of bags are no more alike than any.
PrototypeEvidence clothes() {
  std::vector<double> values(kClothes * kClothes, 0.01);
  const auto join = [&](std::size_t i, std::size_t j, double affinity) {
    values[i * kClothes + j] = values[j * kClothes + i] = affinity;
  };
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < i; ++j) join(i, j, 1.0);
  Contingency labelled{kClothes, 2, {90, 0, 95, 0, 3, 0, 2, 0, 0, 100, 0, 98}};
  return {AffinityMatrix{std::span<const double>(values), kClothes},
          labelled,
          std::vector<double>(kClothes, 1000.0),
          {}};
}

std::vector<std::int32_t> groups_of(const OpenNcdConfig& config) {
  const PrototypeEvidence evidence = clothes();
  const auto found = group_prototypes(config, std::span(&evidence, 1), 3, 1, 0);
  REQUIRE(found);
  return found->grouping.group_of;
}

}  // namespace

TEST_SUITE_BEGIN("opencd/open_ncd_grouping");

TEST_CASE("labels bring apart what shares rows, if they are asked for") {
  CHECK_EQ(groups_of({.grouping_labels = true}), std::vector<std::int32_t>{0, 0, 2, 2, 1, 1});
  const std::vector<std::int32_t> without = groups_of({});
  CHECK_EQ(without[0], without[2]);
  CHECK_NE(without[4], without[5]);
}

TEST_CASE("other sets are asked where spectral clustering has a number of groups to make") {
  CHECK(groups_spectrally({}, 3));
  CHECK_FALSE(groups_spectrally({}, 0));
  CHECK(groups_spectrally({.grouping = GroupingChoice::spectral}, 3));
  CHECK_FALSE(groups_spectrally({.grouping = GroupingChoice::louvain}, 3));
}

TEST_SUITE_END();

}  // namespace opencd::test
