#include "kernels/rank_pairs.hpp"

#include "bench/method_loss_reference.hpp"
#include "error.hpp"
#include "support/compare.hpp"
#include "support/matrices.hpp"

namespace opencd::test {

namespace {

struct Pairs {
  float loss = 0.0f;
  std::vector<float> diff;
};

Pairs pairs(const std::vector<float>& products,
            const std::vector<std::int32_t>& tops,
            const std::vector<std::int32_t>& labels) {
  kernels::Device& device = test_device();
  const std::size_t rows = labels.size();
  const auto p = to_device(device, products);
  const auto t = to_device(device, tops);
  const auto y = to_device(device, labels);
  const kernels::Buffer<float> loss(device, 1);
  kernels::Scratch scratch(device, kernels::rank_pairs_scratch_bytes(rows));
  kernels::rank_pairs(device, scratch, p.rows(rows, rows), t.rows(rows, tops.size() / rows), y,
                      p.rows(rows, rows), loss);
  return {to_host(device, loss).front(), to_host(device, p)};
}

}  // namespace

TEST_SUITE_BEGIN("kernels/rank_pairs");

TEST_CASE("loss and gradient are those of the formula at awkward sizes") {
  for (const std::size_t rows : {1, 2, 15, 16, 17, 33, 130}) {
    CAPTURE(rows);
    Random random(7);
    std::vector<float> products(rows * rows);
    for (float& value : products) value = static_cast<float>(random.uniform(0.05, 0.95));
    std::vector<std::int32_t> tops;
    for (std::size_t i = 0; i < rows; ++i) {
      const std::int32_t first = static_cast<std::int32_t>(random.below(2));
      // The same set in another order is the same set.
      const std::vector<std::int32_t> set = {first, first + 1, first + 2};
      for (std::size_t j = 0; j < 3; ++j) tops.push_back(set[(i + j) % 3]);
    }
    const auto labels = bench::mixed_labels(rows, 4);
    const Pairs actual = pairs(products, tops, labels);
    const auto expected = bench::reference_rank_pairs(products, tops, labels);
    CHECK(actual.loss == doctest::Approx(expected.loss).epsilon(1e-5));
    CHECK_CLOSE(actual.diff, expected.diff, .rtol = 1e-5, .atol = 1e-8);
  }
}

TEST_CASE("labelled rows alone give nothing, and certainty stays finite") {
  const Pairs labelled = pairs({0.1f, 0.2f, 0.3f, 0.4f}, {0, 1}, {0, 1});
  CHECK_EQ(labelled.loss, 0.0f);
  CHECK_EQ(labelled.diff, std::vector<float>(4, 0.0f));
  const Pairs sure = pairs({1.0f, 1.0000002f, 0.0f, 1.0f}, {0, 1}, {-1, -1});
  CHECK(std::isfinite(sure.loss));
}

TEST_CASE("products that are not square are refused") {
  kernels::Device& device = test_device();
  const kernels::Buffer<float> x(device, 12);
  const kernels::Buffer<std::int32_t> y(device, 4);
  kernels::Scratch scratch(device, 1024);
  CHECK_THROWS_AS(kernels::rank_pairs(device, scratch, x.rows(4, 3), y.rows(4, 1), y, x.rows(4, 3),
                                      x.view().slice(0, 1)),
                  ShapeError);
}

TEST_SUITE_END();

}  // namespace opencd::test
