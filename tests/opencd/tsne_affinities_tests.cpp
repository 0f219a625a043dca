#include "opencd/tsne_affinities.hpp"

#include "error.hpp"
#include "support/compare.hpp"
#include "support/random.hpp"

#include <numeric>

namespace opencd::test {

namespace {

/// Random lists of k ascending neighbours with affinities that sum to one.
struct Lists {
  std::size_t rows;
  std::vector<std::int32_t> nearest;
  std::vector<float> conditional;

  Lists(std::size_t count, std::size_t k, Random& random) : rows(count) {
    for (std::size_t row = 0; row < rows; ++row) {
      std::vector<std::int32_t> others;
      for (std::size_t j = 0; j < rows; ++j)
        if (j != row) others.push_back(static_cast<std::int32_t>(j));
      while (others.size() > k)
        others.erase(others.begin() + random.below(static_cast<std::uint32_t>(others.size())));
      nearest.insert(nearest.end(), others.begin(), others.end());
      std::vector<double> values(k);
      for (double& value : values) value = random.uniform(0.1, 1.0);
      const double sum = std::accumulate(values.begin(), values.end(), 0.0);
      for (const double value : values) conditional.push_back(static_cast<float>(value / sum));
    }
  }

  std::vector<double> dense() const {
    std::vector<double> p(rows * rows, 0.0);
    const std::size_t k = nearest.size() / rows;
    for (std::size_t at = 0; at < nearest.size(); ++at) {
      const std::size_t i = at / k;
      const auto j = static_cast<std::size_t>(nearest[at]);
      p[i * rows + j] += conditional[at] / (2.0 * static_cast<double>(rows));
      p[j * rows + i] += conditional[at] / (2.0 * static_cast<double>(rows));
    }
    return p;
  }
};

std::vector<double> dense(const TsneAffinities& affinities) {
  const std::size_t rows = affinities.rows();
  std::vector<double> p(rows * rows, 0.0);
  for (std::size_t row = 0; row < rows; ++row)
    for (std::int32_t at = affinities.starts[row]; at < affinities.starts[row + 1]; ++at) {
      const auto n = static_cast<std::size_t>(at);
      p[row * rows + static_cast<std::size_t>(affinities.columns[n])] += affinities.values[n];
    }
  return p;
}

}  // namespace

TEST_SUITE_BEGIN("opencd/tsne_affinities");

TEST_CASE("affinities are the mean of both directions, columns ascend, all sum to one") {
  Random random(96);
  for (const auto& [rows, k] : {std::pair{2, 1}, {3, 2}, {20, 1}, {33, 7}, {50, 49}}) {
    CAPTURE(rows);
    const Lists lists(static_cast<std::size_t>(rows), static_cast<std::size_t>(k), random);
    const TsneAffinities found = symmetric_affinities(lists.nearest, lists.conditional, lists.rows);
    CHECK_CLOSE(dense(found), lists.dense(), .rtol = 1e-6, .atol = 1e-9);
    for (std::size_t row = 0; row < lists.rows; ++row)
      for (auto at = static_cast<std::size_t>(found.starts[row]) + 1;
           at < static_cast<std::size_t>(found.starts[row + 1]); ++at)
        CHECK_LT(found.columns[at - 1], found.columns[at]);
    CHECK_LE(std::abs(std::accumulate(found.values.begin(), found.values.end(), 0.0) - 1.0), 1e-5);
  }
}

TEST_CASE("the divergence is that of the dense formula") {
  Random random(97);
  const Lists lists(40, 6, random);
  const TsneAffinities affinities =
      symmetric_affinities(lists.nearest, lists.conditional, lists.rows);
  const std::vector<float> map = random.normals(80, 3.0);
  std::vector<double> w(1600, 0.0);
  for (std::size_t i = 0; i < 40; ++i)
    for (std::size_t j = 0; j < 40; ++j)
      if (i != j)
        w[i * 40 + j] =
            1.0 / (1.0 + std::pow(map[i] - map[j], 2.0) + std::pow(map[40 + i] - map[40 + j], 2.0));
  const double weight = std::accumulate(w.begin(), w.end(), 0.0);
  const std::vector<double> p = lists.dense();
  double expected = 0.0;
  for (std::size_t i = 0; i < p.size(); ++i)
    if (p[i] > 0.0) expected += p[i] * std::log(p[i] / (w[i] / weight));
  CHECK_LE(std::abs(kl_divergence(affinities, map, weight) - expected), 1e-5);
}

TEST_CASE("rejects lists of other sizes than the rows make up") {
  const std::vector<std::int32_t> nearest = {1, 0, 0};
  CHECK_THROWS_AS(symmetric_affinities(nearest, std::vector<float>(3), 2), ShapeError);
  CHECK_THROWS_AS(symmetric_affinities(nearest, std::vector<float>(2), 3), ShapeError);
}

TEST_SUITE_END();

}  // namespace opencd::test
