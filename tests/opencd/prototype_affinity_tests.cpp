#include "opencd/prototype_affinity.hpp"

#include "opencd/grouping/louvain.hpp"
#include "support/matrices.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <utility>

namespace opencd::test {

namespace {

constexpr std::size_t kDimensions = 32;

std::vector<float> to_unit_rows(std::vector<float> values) {
  for (auto row = values.begin(); row != values.end(); row += kDimensions) {
    const double length = std::sqrt(std::inner_product(row, row + kDimensions, row, 0.0));
    for (auto value = row; value != row + kDimensions; ++value)
      *value = static_cast<float>(*value / length);
  }
  return values;
}

std::vector<float> unit_rows(std::size_t rows, Random& random) {
  return to_unit_rows(random.normals(rows * kDimensions));
}

double cosine(const std::vector<float>& left,
              std::size_t i,
              const std::vector<float>& right,
              std::size_t j) {
  return std::inner_product(left.begin() + static_cast<std::ptrdiff_t>(i * kDimensions),
                            left.begin() + static_cast<std::ptrdiff_t>((i + 1) * kDimensions),
                            right.begin() + static_cast<std::ptrdiff_t>(j * kDimensions), 0.0);
}

struct Naive {
  std::vector<double> affinity;
  std::vector<std::int32_t> nearest;
};

/// Sets of rows and their intersections, as the paper writes them, in doubles.
Naive naive_affinity(const std::vector<float>& features,
                     const std::vector<float>& prototypes,
                     std::size_t kappa) {
  const std::size_t size = prototypes.size() / kDimensions;
  std::vector<std::set<std::size_t>> gamma(size);
  Naive result{std::vector<double>(size * size, 0.0), {}};
  for (std::size_t row = 0; row < features.size() / kDimensions; ++row) {
    std::vector<std::pair<double, std::size_t>> order;
    for (std::size_t k = 0; k < size; ++k)
      order.emplace_back(-cosine(features, row, prototypes, k), k);
    std::sort(order.begin(), order.end());
    for (std::size_t a = 0; a < kappa; ++a) gamma[order[a].second].insert(row);
    result.nearest.push_back(static_cast<std::int32_t>(order[0].second));
  }
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t j = 0; j < size; ++j) {
      std::vector<std::size_t> both;
      std::set_intersection(gamma[i].begin(), gamma[i].end(), gamma[j].begin(), gamma[j].end(),
                            std::back_inserter(both));
      if (i != j && !both.empty())
        result.affinity[i * size + j] =
            static_cast<double>(both.size()) /
            static_cast<double>(std::min(gamma[i].size(), gamma[j].size()));
    }
  return result;
}

}  // namespace

TEST_SUITE_BEGIN("opencd/prototype_affinity");

TEST_CASE("the affinity equals that of the naive double loop, to the bit, in blocks of any size") {
  Random random(71);
  const std::vector<float> features = unit_rows(1003, random);
  const std::vector<float> prototypes = unit_rows(29, random);
  const nn::Engine engine(test_device());
  const auto rows = kernels::to_device(test_device(), features);
  const auto centres = kernels::to_device(test_device(), prototypes);
  for (const std::size_t kappa : {1, 3, 10}) {
    const Naive expected = naive_affinity(features, prototypes, kappa);
    for (const std::size_t block : {1, 100, 5000}) {
      CAPTURE(kappa);
      CAPTURE(block);
      PrototypeAffinity affinity(
          engine,
          {.prototypes = 29, .dimensions = kDimensions, .kappa = kappa, .rows_a_block = block});
      kernels::Buffer<std::int32_t> nearest(test_device(), 1003);
      affinity.begin(centres.rows(29, kDimensions));
      affinity.add(rows.rows(1003, kDimensions), nearest);
      const AffinityMatrix found = affinity.finish();
      CHECK(std::equal(expected.affinity.begin(), expected.affinity.end(), found.values().begin()));
      CHECK(kernels::to_host(test_device(), nearest) == expected.nearest);
    }
  }
}

TEST_CASE("a second beginning forgets the rows before") {
  Random random(72);
  const nn::Engine engine(test_device());
  const auto rows = kernels::to_device(test_device(), unit_rows(500, random));
  const auto centres = kernels::to_device(test_device(), unit_rows(10, random));
  PrototypeAffinity affinity(engine, {.prototypes = 10, .dimensions = kDimensions});
  const auto once = [&] {
    affinity.begin(centres.rows(10, kDimensions));
    affinity.add(rows.rows(500, kDimensions));
    const AffinityMatrix found = affinity.finish();
    return std::vector<double>(found.values().begin(), found.values().end());
  };
  const auto before = once();
  CHECK(once() == before);
}

TEST_CASE("the mix adds the cosine of the prototypes") {
  Random random(73);
  const std::vector<float> prototypes = unit_rows(6, random);
  const nn::Engine engine(test_device());
  const auto centres = kernels::to_device(test_device(), prototypes);
  PrototypeAffinity affinity(
      engine, {.prototypes = 6, .dimensions = kDimensions, .kappa = 1, .mix = {.share = 0.75}});
  affinity.begin(centres.rows(6, kDimensions));
  const AffinityMatrix found = affinity.finish();  // without rows nothing is shared
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t j = 0; j < 6; ++j)
      CHECK_EQ(found.at(i, j),
               doctest::Approx(0.125 * (1.0 + cosine(prototypes, i, prototypes, j))).epsilon(1e-5));
}

TEST_CASE("prototypes that share a cluster of rows are grouped") {
  Random random(74);
  const std::vector<float> means = unit_rows(5, random);
  const auto around = [&](std::size_t count) {  // row i lies near mean i % 5
    std::vector<float> values = random.normals(count * kDimensions, 0.08);
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] += means[i / kDimensions % 5 * kDimensions + i % kDimensions];
    return to_unit_rows(std::move(values));
  };
  const nn::Engine engine(test_device());
  const auto rows = kernels::to_device(test_device(), around(2000));
  const auto centres = kernels::to_device(test_device(), around(30));
  PrototypeAffinity affinity(engine, {.prototypes = 30, .dimensions = kDimensions});
  affinity.begin(centres.rows(30, kDimensions));
  affinity.add(rows.rows(2000, kDimensions));
  const Grouping grouping = louvain(affinity.finish(), {});
  CHECK_EQ(grouping.groups, 5);
  for (std::size_t k = 0; k < 30; ++k) CHECK_EQ(grouping.group_of[k], grouping.group_of[k % 5]);
}

TEST_CASE("a kappa beyond the prototypes and features of another length are refused") {
  const nn::Engine engine(test_device());
  CHECK_THROWS_AS(PrototypeAffinity(engine, {.prototypes = 2, .dimensions = 4, .kappa = 3}),
                  UsageError);
  kernels::Buffer<float> memory(test_device(), 40);
  PrototypeAffinity affinity(engine, {.prototypes = 5, .dimensions = 4});
  CHECK_THROWS_AS(affinity.finish(), ShapeError);
  CHECK_THROWS_AS(affinity.begin(memory.rows(10, 4)), ShapeError);
  affinity.begin({memory.data(), 5, 4});
  CHECK_THROWS_AS(affinity.add(memory.rows(8, 5)), ShapeError);
}

TEST_SUITE_END();

}  // namespace opencd::test
