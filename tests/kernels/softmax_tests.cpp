#include "kernels/softmax.hpp"

#include "support/compare.hpp"
#include "support/matrices.hpp"

#include <algorithm>

namespace opencd::test {

namespace {

using kernels::Rows;

std::vector<double> softmax_reference(const std::vector<float>& x,
                                      MatrixShape shape,
                                      double temperature) {
  std::vector<double> p(x.size());
  for (std::size_t r = 0; r < shape.rows; ++r) {
    const float* row = x.data() + r * shape.columns;
    const double largest = *std::max_element(row, row + shape.columns);
    double total = 0.0;
    for (std::size_t c = 0; c < shape.columns; ++c) {
      p[r * shape.columns + c] = std::exp((row[c] - largest) / temperature);
      total += p[r * shape.columns + c];
    }
    for (std::size_t c = 0; c < shape.columns; ++c) p[r * shape.columns + c] /= total;
  }
  return p;
}

}  // namespace

TEST_SUITE_BEGIN("kernels/softmax");

TEST_CASE("softmax of rows matches the double reference at awkward sizes") {
  for (const MatrixShape shape : awkward_shapes()) {
    CAPTURE(shape);
    Random random(1);
    const std::vector<float> x = random.normals(shape.size(), 3.0);
    auto src = kernels::to_device(test_device(), x);
    kernels::Buffer<float> dst(test_device(), x.size());
    kernels::softmax_rows(test_device(), rows_of(src, shape), rows_of(dst, shape), 0.1f);
    // exp((x - max) / tau) turns an error of one ulp in x / tau, up to 2e-5 here, into a relative
    // error of p.
    CHECK_CLOSE(kernels::to_host(test_device(), dst), softmax_reference(x, shape, 0.1f),
                .rtol = 5e-5, .atol = 1e-7);
  }
}

TEST_CASE("softmax backward matches the double reference at awkward sizes") {
  for (const MatrixShape shape : awkward_shapes()) {
    CAPTURE(shape);
    Random random(2);
    const std::vector<float> x = random.normals(shape.size());
    const std::vector<float> dp = random.normals(shape.size());
    const std::vector<double> p = softmax_reference(x, shape, 0.5);
    std::vector<double> expected(p.size());
    for (std::size_t r = 0; r < shape.rows; ++r) {
      double inner = 0.0;
      for (std::size_t i = r * shape.columns; i < (r + 1) * shape.columns; ++i)
        inner += p[i] * dp[i];
      for (std::size_t i = r * shape.columns; i < (r + 1) * shape.columns; ++i)
        expected[i] = p[i] * (dp[i] - inner) / 0.5;
    }
    auto dst = kernels::to_device(test_device(), std::vector<float>(p.begin(), p.end()));
    auto diff_dst = kernels::to_device(test_device(), dp);
    kernels::Buffer<float> diff_src(test_device(), p.size());
    kernels::softmax_rows_backward(test_device(), rows_of(dst, shape), rows_of(diff_dst, shape),
                                   rows_of(diff_src, shape), 0.5f);
    CHECK_CLOSE(kernels::to_host(test_device(), diff_src), expected, .rtol = 1e-4, .atol = 1e-6);
  }
}

TEST_CASE("rows sum to one for any temperature") {
  const MatrixShape shape{37, 101};
  Random random(3);
  auto src = kernels::to_device(test_device(), random.normals(shape.size(), 10.0));
  kernels::Buffer<float> dst(test_device(), shape.size());
  for (const float temperature : {0.01f, 0.1f, 1.0f, 100.0f}) {
    kernels::softmax_rows(test_device(), rows_of(src, shape), rows_of(dst, shape), temperature);
    const std::vector<float> p = kernels::to_host(test_device(), dst);
    for (std::size_t r = 0; r < shape.rows; ++r)
      CHECK(row_sum(p, shape, r) == doctest::Approx(1.0).epsilon(1e-5));
  }
}

TEST_CASE("rows of equal values become uniform, even where exp alone would overflow") {
  const MatrixShape shape{3, 19};
  auto src = kernels::to_device(test_device(), std::vector<float>(shape.size(), 1e30f));
  kernels::softmax_rows(test_device(), rows_of(src, shape), rows_of(src, shape), 0.1f);
  CHECK_CLOSE(kernels::to_host(test_device(), src), std::vector<double>(shape.size(), 1.0 / 19.0),
              .rtol = 1e-6);
}

TEST_CASE("rejects a temperature of zero and outputs of another shape") {
  kernels::Buffer<float> a(test_device(), 12);
  CHECK_THROWS_AS(kernels::softmax_rows(test_device(), a.rows(3, 4), a.rows(3, 4), 0.0f),
                  ShapeError);
  CHECK_THROWS_WITH_AS(kernels::softmax_rows(test_device(), a.rows(3, 4), a.rows(4, 3)),
                       "[softmax_rows] expected 3 rows, got 4", ShapeError);
}

TEST_SUITE_END();

}  // namespace opencd::test
