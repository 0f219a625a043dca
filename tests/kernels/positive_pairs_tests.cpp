#include "kernels/positive_pairs.hpp"

#include "bench/loss_reference.hpp"
#include "support/compare.hpp"
#include "support/matrices.hpp"

#include <limits>

namespace opencd::test {

namespace {

using kernels::Buffer;
using kernels::PairKey;

std::vector<std::int32_t> partners_of(const std::vector<float>& cosines,
                                      const std::vector<std::int32_t>& labels,
                                      PairKey key = {}) {
  const auto dev_cosines = kernels::to_device(test_device(), cosines);
  const auto dev_labels = kernels::to_device(test_device(), labels);
  Buffer<std::int32_t> partners(test_device(), labels.size());
  kernels::positive_pairs(test_device(), dev_cosines.rows(labels.size(), labels.size()), dev_labels,
                          partners, key);
  return kernels::to_host(test_device(), partners);
}

}  // namespace

TEST_SUITE_BEGIN("kernels/positive_pairs");

TEST_CASE("partners are those of the rule at awkward sizes, labelled rows anywhere") {
  for (const std::size_t rows : {1, 2, 3, 15, 16, 17, 33, 130, 512}) {
    CAPTURE(rows);
    Random random(61);
    std::vector<float> cosines(rows * rows);
    for (float& value : cosines)  // few values, hence many ties
      value = static_cast<float>(random.below(50)) / 50.0f;
    std::vector<std::int32_t> labels(rows);
    for (std::int32_t& label : labels) label = static_cast<std::int32_t>(random.below(8)) - 4;
    const PairKey key{.seed = 5, .step = 1234};
    const std::vector<std::int32_t> partners = partners_of(cosines, labels, key);
    for (std::size_t i = 0; i < rows; ++i)
      REQUIRE_EQ(partners[i], bench::reference_partner(cosines, labels, key, i));
  }
}

TEST_CASE("an unlabelled row takes the nearest other row even if another is nearer than itself") {
  const std::vector<float> cosines = {0.5f,  0.9f,  0.9f,  //
                                      0.1f,  1.0f,  0.2f,  //
                                      -1.0f, -1.0f, -1.0f};
  CHECK(partners_of(cosines, {-1, -1, -1}) == std::vector<std::int32_t>{1, 2, 0});
}

TEST_CASE("NaN is the farthest of all") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> cosines = {1.0f, nan,  -1.0f,  //
                                      nan,  1.0f, nan,    //
                                      0.0f, nan,  1.0f};
  CHECK(partners_of(cosines, {-1, -1, -1}) == std::vector<std::int32_t>{2, 0, 0});
}

TEST_CASE("a row that is alone, or alone of its label, is its own partner") {
  CHECK(partners_of({1.0f}, {-1}) == std::vector<std::int32_t>{0});
  CHECK(partners_of({1.0f}, {7}) == std::vector<std::int32_t>{0});
  CHECK(partners_of({1.0f, 0.5f, 0.5f, 1.0f}, {0, 1}) == std::vector<std::int32_t>{0, 1});
}

TEST_CASE("labelled partners are uniform over the others of the class and new at every step") {
  constexpr std::size_t kRows = 40;
  constexpr std::uint32_t kSteps = 4000;
  std::vector<std::int32_t> labels(kRows, -1);
  const std::vector<std::size_t> same = {2, 3, 17, 18, 39};
  for (const std::size_t row : same) labels[row] = 2;
  const auto cosines = kernels::to_device(test_device(), std::vector<float>(kRows * kRows, 0.0f));
  const auto dev_labels = kernels::to_device(test_device(), labels);
  Buffer<std::int32_t> partners(test_device(), kRows);
  std::vector<int> counts(kRows, 0);
  for (std::uint32_t step = 0; step < kSteps; ++step) {
    kernels::positive_pairs(test_device(), cosines.rows(kRows, kRows), dev_labels, partners,
                            {.seed = 9, .step = step});
    ++counts[static_cast<std::size_t>(kernels::to_host(test_device(), partners)[17])];
  }
  // Four candidates: mean 1000, deviation 27; five deviations.
  for (const std::size_t row : same)
    if (row != 17) CHECK(std::abs(counts[row] - 1000) <= 137);
  CHECK_EQ(counts[17], 0);
}

TEST_CASE("rejects cosines that are not square and labels of another length") {
  Buffer<float> cosines(test_device(), 12);
  Buffer<std::int32_t> indices(test_device(), 3);
  CHECK_THROWS_WITH_AS(
      kernels::positive_pairs(test_device(), cosines.rows(3, 4), indices, indices, {}),
      "[positive_pairs] expected 3 columns of the cosines, got 4", ShapeError);
  CHECK_THROWS_AS(kernels::positive_pairs(test_device(), {cosines.data(), 2, 2}, indices,
                                          indices.view().slice(0, 2), {}),
                  ShapeError);
}

TEST_SUITE_END();

}  // namespace opencd::test
