#include "opencd/prior.hpp"

#include <doctest/doctest.h>

#include <numeric>

namespace opencd::test {

TEST_SUITE_BEGIN("opencd/prior");

TEST_CASE("groups share alike, and so do the prototypes of a group") {
  const std::vector<float> prior = multi_prototype_prior({{0, 1, 0, 0, 1}, 2});
  CHECK_EQ(prior, std::vector<float>{1.0f / 6, 0.25f, 1.0f / 6, 1.0f / 6, 0.25f});
}

TEST_CASE("it sums to one for any groups") {
  for (std::size_t groups = 1; groups <= 500; groups += 7) {
    Grouping grouping = single_groups(500);
    for (std::int32_t& group : grouping.group_of)
      group = group * group % static_cast<std::int32_t>(groups);
    const std::vector<float> prior = multi_prototype_prior(number_groups(grouping.group_of));
    CHECK_EQ(std::accumulate(prior.begin(), prior.end(), 0.0), doctest::Approx(1.0).epsilon(1e-6));
  }
}

TEST_CASE("single groups give the uniform prior") {
  CHECK_EQ(multi_prototype_prior(single_groups(4)), std::vector<float>(4, 0.25f));
  CHECK(multi_prototype_prior(single_groups(0)).empty());
}

TEST_SUITE_END();

}  // namespace opencd::test
