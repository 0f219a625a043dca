#include "opencd/prediction.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <random>

namespace opencd::test {

TEST_SUITE_BEGIN("opencd/prediction");

TEST_CASE("the nearest prototype's group is predicted, though another group has more in sum") {
  const Grouping grouping{{0, 1, 1, 1}, 2};
  const std::vector<float> cosines = {0.50f, 0.49f, 0.48f, 0.47f};
  const Prediction nearest = predict_from_cosines(cosines, grouping, 0.1);
  CHECK_EQ(nearest.group, 0);
  CHECK(nearest.margin < 0.0f);
  CHECK_EQ(nearest.likeness, 0.50f);
  const std::vector<double> q = group_probabilities(cosines, grouping, 0.1);
  CHECK(q[0] + q[1] == doctest::Approx(1.0));
  CHECK(nearest.confidence == doctest::Approx(q[0]));
  CHECK(nearest.margin == doctest::Approx(q[0] - q[1]));

  const Prediction balanced = predict_balanced(cosines, grouping, 0.1, std::vector{1.0, 1.0});
  CHECK_EQ(balanced.group, 1);
  CHECK(balanced.confidence == doctest::Approx(q[1]));
  CHECK_EQ(balanced.likeness, 0.49f);
  CHECK_EQ(predict_balanced(cosines, grouping, 0.1, std::vector{4.0, 1.0}).group, 0);
}

TEST_CASE("factors give every group the same share of rows") {
  std::mt19937 random(3);
  std::gamma_distribution<double> draw(0.3);
  constexpr std::size_t kGroups = 7;
  std::vector<double> rows;
  for (int row = 0; row < 500; ++row) {
    double sum = 0.0;
    for (std::size_t g = 0; g < kGroups; ++g) {
      rows.push_back(1e-6 + draw(random) * static_cast<double>(1 + g * g));  // the last one greedy
      sum += rows.back();
    }
    for (std::size_t g = 0; g < kGroups; ++g) rows[rows.size() - 1 - g] /= sum;
  }
  const std::vector<double> factors = balancing_factors(rows, kGroups);
  std::vector<double> shares(kGroups, 0.0);
  for (std::size_t first = 0; first < rows.size(); first += kGroups) {
    double sum = 0.0;
    for (std::size_t g = 0; g < kGroups; ++g) sum += std::pow(rows[first + g] * factors[g], 2);
    for (std::size_t g = 0; g < kGroups; ++g)
      shares[g] += std::pow(rows[first + g] * factors[g], 2) / sum / 500.0;
  }
  for (const double share : shares) CHECK(share == doctest::Approx(1.0 / kGroups).epsilon(0.01));
  CHECK(factors[0] > factors[6]);
}

TEST_CASE("a group that no row is like keeps its factor") {
  const std::vector<double> rows = {0.9, 0.1, 0.0, 0.2, 0.8, 0.0};
  const std::vector<double> factors = balancing_factors(rows, 3);
  CHECK_EQ(factors[2], 1.0);
  for (const double factor : factors) CHECK(std::isfinite(factor));
}

TEST_SUITE_END();

}  // namespace opencd::test
