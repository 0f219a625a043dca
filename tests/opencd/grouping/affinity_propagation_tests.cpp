#include "opencd/grouping/affinity_propagation.hpp"

#include "error.hpp"
#include "support/method_golden.hpp"

#include <doctest/doctest.h>

namespace opencd::test {

TEST_SUITE_BEGIN("opencd/grouping/affinity_propagation");

TEST_CASE("groups and convergence are those of scikit-learn") {
  for (const auto& golden : method_golden("affinity_propagation")) {
    CAPTURE(golden.dump());
    AffinityPropagationOptions options{.damping = golden["damping"]};
    if (!golden["preference"].is_null()) options.preference = golden["preference"].get<double>();
    const auto found = affinity_propagation(golden_graph(golden["graph"]), options);
    REQUIRE(found.has_value());
    const std::vector<std::int32_t> labels = golden["labels"];
    CHECK_EQ(found->grouping, number_groups(labels));
    CHECK_EQ(found->converged, golden["converged"].get<bool>());
  }
}

TEST_CASE("a higher preference never gives fewer groups on a planted graph") {
  const AffinityMatrix affinity = golden_graph("loops");
  std::size_t before = 0;
  for (const double preference : {-4.0, -1.0, 0.0, 0.3, 0.7, 1.0}) {
    const auto found = affinity_propagation(affinity, {.damping = 0.9, .preference = preference});
    REQUIRE(found.has_value());
    CHECK_GE(found->grouping.groups, before);
    before = found->grouping.groups;
  }
  CHECK_EQ(before, 60);
}

TEST_CASE("equal affinities give one group or single ones, as the preference says") {
  const AffinityMatrix affinity(std::vector<double>(16, 0.5), 4);
  CHECK_EQ(affinity_propagation(affinity, {})->grouping.groups, 1);
  CHECK_EQ(affinity_propagation(affinity, {.preference = 0.6})->grouping.groups, 4);
  const AffinityMatrix one(std::vector<double>(1, 0.0), 1);
  CHECK_EQ(affinity_propagation(one, {})->grouping.groups, 1);
}

TEST_CASE("stopping too early is said") {
  const AffinityMatrix affinity = golden_graph("faint");
  CHECK_FALSE(affinity_propagation(affinity, {.damping = 0.99, .iterations = 1}).has_value());
  const auto unsettled = affinity_propagation(affinity, {.iterations = 14});
  REQUIRE(unsettled.has_value());
  CHECK_FALSE(unsettled->converged);
}

TEST_CASE("a damping outside its range is refused") {
  const AffinityMatrix affinity = golden_graph("clear");
  CHECK_THROWS_AS(affinity_propagation(affinity, {.damping = 0.4}), UsageError);
  CHECK_THROWS_AS(affinity_propagation(affinity, {.damping = 1.0}), UsageError);
}

TEST_SUITE_END();

}  // namespace opencd::test
