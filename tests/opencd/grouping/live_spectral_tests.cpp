#include "opencd/grouping/live_spectral.hpp"

#include "support/method_golden.hpp"

#include <doctest/doctest.h>

namespace opencd::test {

TEST_SUITE_BEGIN("opencd/grouping/live_spectral");

TEST_CASE("it is spectral clustering where every prototype has rows") {
  const std::vector<double> rows(50, 1.0);
  CHECK_EQ(live_spectral(golden_graph("clear"), rows, {.groups = 10}),
           spectral(golden_graph("clear"), {.groups = 10}));
}

TEST_CASE("prototypes without rows make no group of their own and join the one that is like them") {
  // Three pairs; the third has no rows and is a little like the second.
  std::vector<double> values(36, 0.0);
  const auto join = [&](std::size_t i, std::size_t j, double affinity) {
    values[6 * i + j] = values[6 * j + i] = affinity;
  };
  join(0, 1, 1.0);
  join(2, 3, 1.0);
  join(4, 5, 1.0);
  join(3, 4, 0.1);
  join(3, 5, 0.1);
  join(1, 4, 0.05);
  const AffinityMatrix affinity(std::span<const double>(values), 6);
  const std::vector<double> rows = {5.0, 5.0, 5.0, 5.0, 0.0, 0.0};
  const Grouping grouping = live_spectral(affinity, rows, {.groups = 2});
  CHECK_EQ(grouping.group_of, std::vector<std::int32_t>{0, 0, 1, 1, 1, 1});
  CHECK_EQ(live_spectral(affinity, rows, {.groups = 6}), single_groups(6));
}

TEST_SUITE_END();

}  // namespace opencd::test
