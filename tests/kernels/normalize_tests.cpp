#include "kernels/normalize.hpp"

#include "support/compare.hpp"
#include "support/matrices.hpp"

namespace opencd::test {

namespace {

using kernels::Buffer;

std::vector<double> norms_of(const std::vector<float>& x, MatrixShape shape) {
  std::vector<double> norms(shape.rows, 0.0);
  for (std::size_t i = 0; i < x.size(); ++i)
    norms[i / shape.columns] += static_cast<double>(x[i]) * x[i];
  for (double& norm : norms) norm = std::sqrt(norm);
  return norms;
}

}  // namespace

TEST_SUITE_BEGIN("kernels/normalize");

TEST_CASE("normalised rows and their norms match the double reference at awkward sizes") {
  for (const MatrixShape shape : awkward_shapes()) {
    CAPTURE(shape);
    Random random(11);
    const std::vector<float> x = random.normals(shape.size(), 4.0);
    const auto src = kernels::to_device(test_device(), x);
    Buffer<float> dst(test_device(), x.size());
    Buffer<float> norms(test_device(), shape.rows);
    kernels::normalize_rows(test_device(), rows_of(src, shape), rows_of(dst, shape), norms);
    const std::vector<double> expected_norms = norms_of(x, shape);
    std::vector<double> expected(x.size());
    for (std::size_t i = 0; i < x.size(); ++i)
      expected[i] = x[i] / expected_norms[i / shape.columns];
    CHECK_CLOSE(kernels::to_host(test_device(), dst), expected, .rtol = 1e-5, .atol = 1e-7);
    CHECK_CLOSE(kernels::to_host(test_device(), norms), expected_norms, .rtol = 1e-5);
  }
}

TEST_CASE("the gradient matches the double reference at awkward sizes") {
  for (const MatrixShape shape : awkward_shapes()) {
    CAPTURE(shape);
    Random random(12);
    const std::vector<float> x = random.normals(shape.size(), 2.0);
    const std::vector<float> dy = random.normals(shape.size());
    const std::vector<double> norm = norms_of(x, shape);
    std::vector<double> inner(shape.rows, 0.0);
    for (std::size_t i = 0; i < x.size(); ++i)
      inner[i / shape.columns] += x[i] / norm[i / shape.columns] * dy[i];
    std::vector<double> expected(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      const std::size_t r = i / shape.columns;
      expected[i] = (dy[i] - x[i] / norm[r] * inner[r]) / norm[r];
    }
    const auto src = kernels::to_device(test_device(), x);
    const auto diff_dst = kernels::to_device(test_device(), dy);
    Buffer<float> dst(test_device(), x.size());
    Buffer<float> norms(test_device(), shape.rows);
    Buffer<float> diff_src(test_device(), x.size());
    kernels::normalize_rows(test_device(), rows_of(src, shape), rows_of(dst, shape), norms);
    kernels::normalize_rows_backward(test_device(), rows_of(dst, shape), norms,
                                     rows_of(diff_dst, shape), rows_of(diff_src, shape));
    // The difference cancels where dy is nearly along y: the error scales with |dy| / |x|, and a
    // row of one column has no other part at all.
    double scale = 0.0;
    for (const double n : norm) scale = std::max(scale, 1.0 / n);
    CHECK_CLOSE(kernels::to_host(test_device(), diff_src), expected, .rtol = 1e-4,
                .atol = 2e-6 * scale);
  }
}

TEST_CASE("normalising twice changes nothing more") {
  const MatrixShape shape{50, 33};
  Random random(13);
  const auto x = kernels::to_device(test_device(), random.normals(shape.size(), 100.0));
  Buffer<float> once(test_device(), shape.size());
  Buffer<float> twice(test_device(), shape.size());
  Buffer<float> norms(test_device(), shape.rows);
  kernels::normalize_rows(test_device(), rows_of(x, shape), rows_of(once, shape), norms);
  kernels::normalize_rows(test_device(), rows_of(once, shape), rows_of(twice, shape), norms);
  CHECK_CLOSE(kernels::to_host(test_device(), twice), kernels::to_host(test_device(), once),
              .rtol = 1e-6, .atol = 1e-8);
  CHECK_CLOSE(kernels::to_host(test_device(), norms), std::vector<double>(shape.rows, 1.0),
              .rtol = 1e-6);
}

TEST_CASE("a row of zeros stays zero and passes its gradient over epsilon") {
  const auto zeros = kernels::to_device(test_device(), std::vector<float>(5, 0.0f));
  const auto ones = kernels::to_device(test_device(), std::vector<float>(5, 1.0f));
  Buffer<float> dst(test_device(), 5);
  Buffer<float> norms(test_device(), 1);
  Buffer<float> diff(test_device(), 5);
  kernels::normalize_rows(test_device(), zeros.rows(1, 5), dst.rows(1, 5), norms, 0.5f);
  CHECK(kernels::to_host(test_device(), dst) == std::vector<float>(5, 0.0f));
  kernels::normalize_rows_backward(test_device(), dst.rows(1, 5), norms, ones.rows(1, 5),
                                   diff.rows(1, 5), 0.5f);
  CHECK(kernels::to_host(test_device(), diff) == std::vector<float>(5, 2.0f));
}

TEST_CASE("rejects norms of another count") {
  Buffer<float> x(test_device(), 6);
  Buffer<float> norms(test_device(), 3);
  CHECK_THROWS_WITH_AS(kernels::normalize_rows(test_device(), x.rows(2, 3), x.rows(2, 3), norms),
                       "[normalize_rows] expected 2 norms, got 3", ShapeError);
}

TEST_SUITE_END();

}  // namespace opencd::test
