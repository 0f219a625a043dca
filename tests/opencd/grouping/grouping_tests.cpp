#include "opencd/grouping/grouping.hpp"

#include "error.hpp"
#include "opencd/grouping/random_sequence.hpp"

#include <doctest/doctest.h>

#include <numeric>
#include <set>

namespace opencd::test {

using Labels = std::vector<std::int32_t>;

TEST_SUITE_BEGIN("opencd/grouping/grouping");

TEST_CASE("groups are numbered in the order of their first prototype") {
  const Grouping grouping = number_groups(Labels{7, 2, 7, 0, 2});
  CHECK_EQ(grouping.group_of, Labels{0, 1, 0, 2, 1});
  CHECK_EQ(grouping.groups, 3);
  CHECK_EQ(grouping.sizes(), std::vector<std::size_t>{2, 2, 1});
  CHECK_EQ(number_groups({}).groups, 0);
  CHECK_THROWS_AS(number_groups(Labels{0, -1}), ShapeError);
}

TEST_CASE("single groups give every prototype its own") {
  CHECK_EQ(single_groups(3).group_of, Labels{0, 1, 2});
  CHECK_EQ(single_groups(3).groups, 3);
}

TEST_CASE("a random sequence repeats itself, differs by item and shuffles to a permutation") {
  RandomSequence first(1);
  RandomSequence again(1);
  RandomSequence other(1, 1);
  std::set<double> seen;
  for (int i = 0; i < 9; ++i) {
    const double unit = first.unit();
    CHECK_EQ(again.unit(), unit);
    CHECK_LT(unit, 1.0);
    seen.insert(unit);
    seen.insert(other.unit());
  }
  CHECK_EQ(seen.size(), 18);
  std::vector<int> order(100);
  std::iota(order.begin(), order.end(), 0);
  const std::vector<int> sorted = order;
  first.shuffle(order);
  CHECK_NE(order, sorted);
  CHECK_EQ(std::set<int>(order.begin(), order.end()).size(), 100);
}

TEST_SUITE_END();

}  // namespace opencd::test
