#include "opencd/grouping/threshold.hpp"

#include "support/method_golden.hpp"

#include <doctest/doctest.h>

namespace opencd::test {

TEST_SUITE_BEGIN("opencd/grouping/threshold");

TEST_CASE("prototypes that chain over the threshold are one group") {
  const std::vector<float> values = {0.0f, 0.9f, 0.1f, 0.0f,  //
                                     0.9f, 0.0f, 0.8f, 0.0f,  //
                                     0.1f, 0.8f, 0.0f, 0.5f,  //
                                     0.0f, 0.0f, 0.5f, 0.0f};
  const AffinityMatrix affinity(values, 4);
  CHECK_EQ(threshold_components(affinity, 0.95).groups, 4);
  CHECK_EQ(threshold_components(affinity, 0.85).group_of, std::vector<std::int32_t>{0, 0, 1, 2});
  CHECK_EQ(threshold_components(affinity, 0.7).group_of, std::vector<std::int32_t>{0, 0, 0, 1});
  CHECK_EQ(threshold_components(affinity, 0.4).groups, 1);
}

TEST_CASE("the threshold itself does not link") {
  const std::vector<float> values = {0.0f, 0.5f, 0.5f, 0.0f};
  CHECK_EQ(threshold_components(AffinityMatrix(values, 2), 0.5).groups, 2);
}

TEST_CASE("a planted graph is recovered and a falling threshold only merges") {
  const AffinityMatrix affinity = golden_graph("clear");
  CHECK_EQ(threshold_components(affinity, 0.5), planted_groups(50, 10));
  std::size_t before = affinity.size();
  for (double delta = 0.95; delta > 0.0; delta -= 0.05) {
    const std::size_t groups = threshold_components(affinity, delta).groups;
    CHECK_LE(groups, before);
    before = groups;
  }
}

TEST_CASE("no prototypes make no groups") {
  CHECK_EQ(threshold_components(AffinityMatrix(std::span<const float>(), 0), 0.5).groups, 0);
}

TEST_SUITE_END();

}  // namespace opencd::test
