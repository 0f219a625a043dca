#include "kernels/columns.hpp"

#include "support/compare.hpp"
#include "support/matrices.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace opencd::test {

namespace {

using kernels::Buffer;
using kernels::Scratch;

std::vector<double> column_sums(const std::vector<float>& x, MatrixShape shape) {
  std::vector<double> sums(shape.columns, 0.0);
  for (std::size_t i = 0; i < x.size(); ++i) sums[i % shape.columns] += x[i];
  return sums;
}

}  // namespace

TEST_SUITE_BEGIN("kernels/columns");

TEST_CASE("sums and means of columns match the double reference at awkward sizes") {
  std::vector<MatrixShape> shapes = awkward_shapes();
  shapes.insert(shapes.end(), {{127, 5}, {128, 5}, {129, 5}, {70'001, 33}});
  for (const MatrixShape shape : shapes) {
    CAPTURE(shape);
    Random random(31);
    const std::vector<float> x = random.normals(shape.size());
    const auto src = kernels::to_device(test_device(), x);
    Scratch scratch(test_device(), kernels::column_scratch_bytes(shape.rows, shape.columns));
    Buffer<float> sum(test_device(), shape.columns);
    Buffer<float> mean(test_device(), shape.columns);
    kernels::column_sum(test_device(), scratch, rows_of(src, shape), sum);
    kernels::column_mean(test_device(), scratch, rows_of(src, shape), mean);
    const std::vector<double> expected = column_sums(x, shape);
    std::vector<double> expected_mean = expected;
    for (double& value : expected_mean) value /= static_cast<double>(shape.rows);
    // Random signs cancel, so the error is that of sums of |x|: about n^(1/2) roundings in blocks.
    const double rounding = 1e-6 * std::sqrt(static_cast<double>(shape.rows));
    CHECK_CLOSE(kernels::to_host(test_device(), sum), expected, .rtol = 1e-5, .atol = rounding);
    CHECK_CLOSE(kernels::to_host(test_device(), mean), expected_mean, .rtol = 1e-5, .atol = 1e-6);
    CHECK_EQ(scratch.used(), 0);
  }
}

TEST_CASE("weighted means of columns match the double reference at awkward sizes") {
  std::vector<MatrixShape> shapes = awkward_shapes();
  shapes.insert(shapes.end(), {{127, 5}, {129, 5}, {70'001, 33}});
  for (const MatrixShape shape : shapes) {
    CAPTURE(shape);
    Random random(32);
    const std::vector<float> x = random.normals(shape.size());
    const std::vector<float> w = random.normals(shape.rows);
    std::vector<float> products(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) products[i] = w[i / shape.columns] * x[i];
    const auto src = kernels::to_device(test_device(), x);
    const auto weights = kernels::to_device(test_device(), w);
    Scratch scratch(test_device(), kernels::column_scratch_bytes(shape.rows, shape.columns));
    Buffer<float> mean(test_device(), shape.columns);
    kernels::weighted_column_mean(test_device(), scratch, rows_of(src, shape), weights, mean);
    std::vector<double> expected = column_sums(products, shape);
    for (double& value : expected) value /= static_cast<double>(shape.rows);
    CHECK_CLOSE(kernels::to_host(test_device(), mean), expected, .rtol = 1e-5, .atol = 1e-6);
    CHECK_EQ(scratch.used(), 0);
  }
  Scratch scratch(test_device(), 64);
  Buffer<float> src(test_device(), 12);
  Buffer<float> three(test_device(), 3);
  CHECK_THROWS_WITH_AS(
      kernels::weighted_column_mean(test_device(), scratch, src.rows(4, 3), three, three),
      "[weighted_column_mean] expected 4 weights, got 3", ShapeError);
}

TEST_CASE("moments of columns match the double reference, also far from zero") {
  std::vector<MatrixShape> shapes = awkward_shapes();
  shapes.insert(shapes.end(), {{2, 1}, {127, 5}, {129, 16}, {70'001, 33}, {1000, 514}});
  for (const MatrixShape shape : shapes)
    for (const float centre : {0.0f, 1000.0f}) {
      CAPTURE(shape);
      CAPTURE(centre);
      std::vector<float> x = Random(33).normals(shape.size());
      for (float& value : x) value += centre;
      const auto src = kernels::to_device(test_device(), x);
      Scratch scratch(test_device(),
                      kernels::column_moments_scratch_bytes(shape.rows, shape.columns));
      Buffer<float> mean(test_device(), shape.columns);
      Buffer<float> var(test_device(), shape.columns);
      kernels::column_moments(test_device(), scratch, rows_of(src, shape), mean, var);
      const auto n = static_cast<double>(shape.rows);
      std::vector<double> expected_mean = column_sums(x, shape);
      for (double& value : expected_mean) value /= n;
      std::vector<double> expected_var(shape.columns, 0.0);
      for (std::size_t i = 0; i < x.size(); ++i) {
        const double difference = x[i] - expected_mean[i % shape.columns];
        expected_var[i % shape.columns] += difference * difference / n;
      }
      CHECK_CLOSE(kernels::to_host(test_device(), mean), expected_mean, .rtol = 1e-6, .atol = 2e-6);
      CHECK_CLOSE(kernels::to_host(test_device(), var), expected_var, .rtol = 2e-5, .atol = 2e-6);
      CHECK_EQ(scratch.used(), 0);
    }
}

TEST_CASE("moments keep their digits beside one row far from all others, wherever it stands") {
  for (const MatrixShape shape : {MatrixShape{1000, 3}, MatrixShape{100'000, 2}})
    for (const std::size_t at : {std::size_t{0}, std::size_t{1}, shape.rows / 2, shape.rows - 1})
      for (const float far : {1e3f, -1e5f}) {
        CAPTURE(shape);
        CAPTURE(at);
        CAPTURE(far);
        std::vector<float> x = Random(34).normals(shape.size());
        x[at * shape.columns] = far;  // in the first column alone
        const auto src = kernels::to_device(test_device(), x);
        Scratch scratch(test_device(),
                        kernels::column_moments_scratch_bytes(shape.rows, shape.columns));
        Buffer<float> mean(test_device(), shape.columns);
        Buffer<float> var(test_device(), shape.columns);
        kernels::column_moments(test_device(), scratch, rows_of(src, shape), mean, var);
        const auto n = static_cast<double>(shape.rows);
        std::vector<double> expected_mean = column_sums(x, shape);
        for (double& value : expected_mean) value /= n;
        std::vector<double> expected_var(shape.columns, 0.0);
        for (std::size_t i = 0; i < x.size(); ++i) {
          const double difference = x[i] - expected_mean[i % shape.columns];
          expected_var[i % shape.columns] += difference * difference / n;
        }
        // The far row is rounded at its own size, which is little beside the deviation it makes.
        const double deviation = std::sqrt(*std::ranges::max_element(expected_var));
        CHECK_CLOSE(kernels::to_host(test_device(), mean), expected_mean, .rtol = 1e-5,
                    .atol = 2e-6 * deviation);
        CHECK_CLOSE(kernels::to_host(test_device(), var), expected_var, .rtol = 2e-5, .atol = 2e-6);
      }
}

TEST_CASE(
    "a column with a value that is not a number has no moments, and leaves the others theirs") {
  const MatrixShape shape{300, 3};
  std::vector<float> x = Random(35).normals(shape.size());
  x[100 * shape.columns + 1] = std::numeric_limits<float>::quiet_NaN();
  const auto src = kernels::to_device(test_device(), x);
  Scratch scratch(test_device(), kernels::column_moments_scratch_bytes(shape.rows, shape.columns));
  Buffer<float> mean(test_device(), shape.columns);
  Buffer<float> var(test_device(), shape.columns);
  kernels::column_moments(test_device(), scratch, rows_of(src, shape), mean, var);
  for (const Buffer<float>* moments : {&mean, &var}) {
    const std::vector<float> values = kernels::to_host(test_device(), *moments);
    CHECK(std::isfinite(values[0]));
    CHECK(std::isnan(values[1]));
    CHECK(std::isfinite(values[2]));
  }
}

TEST_CASE("the mean of equal rows is that row") {
  const MatrixShape shape{1024, 19};
  std::vector<float> x(shape.size());
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % shape.columns);
  const auto src = kernels::to_device(test_device(), x);
  Scratch scratch(test_device(), kernels::column_scratch_bytes(shape.rows, shape.columns));
  Buffer<float> mean(test_device(), shape.columns);
  kernels::column_mean(test_device(), scratch, rows_of(src, shape), mean);
  CHECK(kernels::to_host(test_device(), mean) == std::vector<float>(x.begin(), x.begin() + 19));
}

TEST_CASE("sums are the same bits on every run") {
  const MatrixShape shape{54'321, 12};
  Random random(32);
  const auto src = kernels::to_device(test_device(), random.normals(shape.size()));
  Scratch scratch(test_device(), kernels::column_scratch_bytes(shape.rows, shape.columns));
  Buffer<float> sum(test_device(), shape.columns);
  kernels::column_sum(test_device(), scratch, rows_of(src, shape), sum);
  const std::vector<float> first = kernels::to_host(test_device(), sum);
  for (int run = 0; run < 5; ++run) {
    kernels::column_sum(test_device(), scratch, rows_of(src, shape), sum);
    CHECK(kernels::to_host(test_device(), sum) == first);
  }
}

TEST_CASE("no rows sum to zero and have no mean") {
  Scratch scratch(test_device(), kernels::column_scratch_bytes(0, 3));
  Buffer<float> dst(test_device(), 3);
  kernels::column_sum(test_device(), scratch, {nullptr, 0, 3}, dst);
  CHECK(kernels::to_host(test_device(), dst) == std::vector<float>(3, 0.0f));
  CHECK_THROWS_AS(kernels::column_mean(test_device(), scratch, {nullptr, 0, 3}, dst), ShapeError);
  CHECK_THROWS_AS(kernels::column_moments(test_device(), scratch, {nullptr, 0, 3}, dst, dst),
                  ShapeError);
}

TEST_SUITE_END();

}  // namespace opencd::test
