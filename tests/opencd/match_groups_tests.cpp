#include "opencd/match_groups.hpp"

#include "error.hpp"
#include "support/random.hpp"

#include <doctest/doctest.h>

#include <set>

namespace opencd::test {

using Labels = std::vector<std::int32_t>;

TEST_SUITE_BEGIN("opencd/match_groups");

TEST_CASE("group y becomes the group of class y and the others follow in order") {
  // Groups 0 .. 4 of two prototypes each; class 0 lives in group 3, class 1 in group 1.
  const Grouping grouping{{0, 0, 1, 1, 2, 2, 3, 3, 4, 4}, 5};
  const Labels nearest = {6, 7, 6, 2, 3, 8};
  const Labels labels = {0, 0, 0, 1, 1, 0};
  const auto matched = match_groups(grouping, count_contingency(nearest, labels, 10, 2));
  REQUIRE(matched.has_value());
  CHECK_EQ(matched->grouping.group_of, Labels{2, 2, 1, 1, 3, 3, 0, 0, 4, 4});
  CHECK_EQ(matched->grouping.groups, 5);
  CHECK_EQ(matched->labelled.correct, 5);
  CHECK_EQ(matched->labelled.rows, 6);
}

TEST_CASE("groups without labelled rows do not shift the others") {
  // No labelled row is near group 0, the case in which the reference code maps classes wrongly.
  const Grouping grouping{{0, 1, 2, 3}, 4};
  const Labels nearest = {2, 2, 1, 1};
  const Labels labels = {0, 0, 1, 1};
  const auto matched = match_groups(grouping, count_contingency(nearest, labels, 4, 2));
  REQUIRE(matched.has_value());
  CHECK_EQ(matched->grouping.group_of, Labels{2, 1, 0, 3});
  CHECK_EQ(matched->labelled.correct, 4);
}

TEST_CASE("a class whose rows all sit in another's group still gets a group") {
  const Grouping grouping{{0, 1, 2}, 3};
  const Labels nearest = {1, 1, 1, 1, 1};
  const Labels labels = {0, 0, 0, 1, 1};
  const auto matched = match_groups(grouping, count_contingency(nearest, labels, 3, 2));
  REQUIRE(matched.has_value());
  CHECK_EQ(matched->grouping.group_of[1], 0);
  CHECK_EQ(matched->labelled.correct, 3);
  CHECK_EQ(
      std::set<std::int32_t>(matched->grouping.group_of.begin(), matched->grouping.group_of.end()),
      std::set<std::int32_t>{0, 1, 2});
}

TEST_CASE("accuracy is that of predicting every labelled row by its matched group") {
  for (std::uint32_t seed = 0; seed < 50; ++seed) {
    Random random(seed);
    Labels group_labels(30);
    for (std::int32_t& group : group_labels) group = static_cast<std::int32_t>(random.below(8));
    const Grouping grouping = number_groups(group_labels);
    Labels nearest(200);
    Labels labels(200);
    for (std::size_t row = 0; row < 200; ++row) {
      nearest[row] = static_cast<std::int32_t>(random.below(30));
      labels[row] = static_cast<std::int32_t>(random.below(4));
    }
    const auto matched = match_groups(grouping, count_contingency(nearest, labels, 30, 4));
    REQUIRE(matched.has_value());
    std::int64_t correct = 0;
    for (std::size_t row = 0; row < 200; ++row)
      correct += matched->grouping.group_of[static_cast<std::size_t>(nearest[row])] == labels[row];
    CHECK_EQ(matched->labelled.correct, correct);
    CHECK_EQ(matched->labelled.rows, 200);
    CHECK_EQ(number_groups(matched->grouping.group_of), grouping);
  }
}

TEST_CASE("fewer groups than known classes are refused, other prototypes an error") {
  const Contingency labelled = count_contingency(Labels{0, 1}, Labels{0, 1}, 2, 2);
  CHECK_FALSE(match_groups({{0, 0}, 1}, labelled).has_value());
  CHECK_THROWS_AS(match_groups(single_groups(3), labelled), ShapeError);
}

TEST_CASE("without known classes the groups stay as they are") {
  const Grouping grouping{{1, 0, 1}, 2};
  CHECK_EQ(match_groups(grouping, count_contingency({}, {}, 3, 0))->grouping, grouping);
}

TEST_SUITE_END();

}  // namespace opencd::test
