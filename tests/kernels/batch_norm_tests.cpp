#include "kernels/batch_norm.hpp"

#include "kernels/columns.hpp"
#include "support/compare.hpp"
#include "support/matrices.hpp"

#include <cmath>
#include <limits>

namespace opencd::test {

namespace {

using kernels::Buffer;
using kernels::Scratch;

constexpr float kEpsilon = 1e-3f;

/// A matrix with random affine parameters and moments, which need not be those of the matrix.
struct Problem {
  MatrixShape shape;
  bool relu;
  std::vector<float> x, dy, weight, bias, mean, var;

  Problem(MatrixShape of, bool with_relu)
      : shape(of),
        relu(with_relu),
        x(Random(1).normals(of.size())),
        dy(Random(2).normals(of.size())),
        weight(Random(3).normals(of.columns)),
        bias(Random(4).normals(of.columns)),
        mean(Random(5).normals(of.columns)),
        var(Random(6).normals(of.columns)) {
    for (float& value : var) value = value * value + 0.2f;
  }

  double deviation(std::size_t c) const { return std::sqrt(var[c] + double{kEpsilon}); }
  double y(std::size_t i) const {
    const std::size_t c = i % shape.columns;
    return (x[i] - mean[c]) / deviation(c) * weight[c] + bias[c];
  }
  double gradient(std::size_t i) const { return relu && y(i) <= 0.0 ? 0.0 : dy[i]; }
};

/// The problem on the device, and the kernels run on it.
struct OnDevice {
  const Problem& problem;
  Buffer<float> weight, bias, mean, var;
  Scratch scratch;

  explicit OnDevice(const Problem& of)
      : problem(of),
        weight(to(of.weight)),
        bias(to(of.bias)),
        mean(to(of.mean)),
        var(to(of.var)),
        scratch(test_device(), kernels::batch_norm_scratch_bytes(of.shape.rows, of.shape.columns)) {
  }

  static Buffer<float> to(const std::vector<float>& values) {
    return kernels::to_device(test_device(), values);
  }
  kernels::FixedNorm norm() const { return {weight, bias, mean, var}; }
  kernels::BatchNormOptions options() const { return {kEpsilon, problem.relu}; }

  std::vector<float> forward() {
    const Buffer<float> data = to(problem.x);
    kernels::batch_norm_forward(test_device(), scratch, options(), norm(),
                                rows_of(data, problem.shape), rows_of(data, problem.shape));
    return kernels::to_host(test_device(), data);
  }
  struct Gradients {
    std::vector<float> src, weight, bias;
  };
  Gradients backward() {
    const Buffer<float> src = to(problem.x), diff = to(problem.dy);
    const Buffer<float> diff_weight(test_device(), problem.shape.columns);
    const Buffer<float> diff_bias(test_device(), problem.shape.columns);
    kernels::batch_norm_backward(test_device(), scratch, options(), norm(),
                                 rows_of(src, problem.shape), rows_of(diff, problem.shape),
                                 {rows_of(diff, problem.shape), diff_weight, diff_bias});
    const auto host = [](const Buffer<float>& b) { return kernels::to_host(test_device(), b); };
    return {host(diff), host(diff_weight), host(diff_bias)};
  }
};

std::vector<MatrixShape> shapes() {
  std::vector<MatrixShape> result = awkward_shapes();
  result.insert(result.end(), {{2, 1}, {129, 16}, {70'001, 33}, {1000, 514}});
  return result;
}

}  // namespace

TEST_SUITE_BEGIN("kernels/batch_norm");

TEST_CASE("forward matches the double reference at awkward sizes, in place") {
  for (const MatrixShape shape : shapes())
    for (const bool relu : {false, true}) {
      CAPTURE(shape);
      CAPTURE(relu);
      const Problem problem(shape, relu);
      std::vector<double> expected(shape.size());
      for (std::size_t i = 0; i < expected.size(); ++i)
        expected[i] = relu ? std::max(problem.y(i), 0.0) : problem.y(i);
      OnDevice device(problem);
      CHECK_CLOSE(device.forward(), expected, .rtol = 1e-5, .atol = 1e-5);
      CHECK_EQ(device.scratch.used(), 0);
    }
}

TEST_CASE("backward matches the double reference at awkward sizes, in place") {
  for (const MatrixShape shape : shapes())
    for (const bool relu : {false, true}) {
      CAPTURE(shape);
      CAPTURE(relu);
      const Problem problem(shape, relu);
      const auto n = static_cast<double>(shape.rows);
      std::vector<double> weight(shape.columns), bias(shape.columns), src(shape.size());
      for (std::size_t i = 0; i < src.size(); ++i) {
        const std::size_t c = i % shape.columns;
        bias[c] += problem.gradient(i);
        weight[c] += problem.gradient(i) * (problem.x[i] - problem.mean[c]) / problem.deviation(c);
      }
      for (std::size_t i = 0; i < src.size(); ++i) {
        const std::size_t c = i % shape.columns;
        const double normalised = (problem.x[i] - problem.mean[c]) / problem.deviation(c);
        src[i] = problem.weight[c] / problem.deviation(c) *
                 (problem.gradient(i) - bias[c] / n - normalised * weight[c] / n);
      }
      OnDevice device(problem);
      const OnDevice::Gradients got = device.backward();
      // Random signs cancel, so sums err by about n^(1/2) roundings in blocks.
      const double rounding = 3e-6 * std::sqrt(n);
      CHECK_CLOSE(got.bias, bias, .rtol = 1e-5, .atol = rounding);
      CHECK_CLOSE(got.weight, weight, .rtol = 1e-5, .atol = 3.0 * rounding);
      CHECK_CLOSE(got.src, src, .rtol = 1e-4, .atol = 2e-5);
      CHECK_EQ(device.scratch.used(), 0);
    }
}

TEST_CASE("what is not a number stays that, also under ReLU") {
  for (const bool relu : {false, true}) {
    Problem problem({50, 6}, relu);
    problem.x[13] = std::numeric_limits<float>::quiet_NaN();
    OnDevice device(problem);
    const std::vector<float> y = device.forward();
    for (std::size_t i = 0; i < y.size(); ++i) CHECK_EQ(std::isnan(y[i]), i == 13);
  }
}

TEST_CASE("gradients are the same bits on every run") {
  const Problem problem({54'321, 12}, true);
  OnDevice device(problem);
  const OnDevice::Gradients first = device.backward();
  for (int run = 0; run < 3; ++run) {
    const OnDevice::Gradients again = device.backward();
    CHECK(again.src == first.src);
    CHECK(again.weight == first.weight);
    CHECK(again.bias == first.bias);
  }
}

TEST_CASE("rejects matrices and parameters that do not fit") {
  const Problem problem({6, 4}, false);
  OnDevice device(problem);
  const Buffer<float> data(test_device(), 30);
  CHECK_THROWS_WITH_AS(kernels::batch_norm_forward(test_device(), device.scratch, device.options(),
                                                   device.norm(), data.rows(6, 5), data.rows(6, 5)),
                       "[batch_norm_forward] expected 5 channels, got 4", ShapeError);
  CHECK_THROWS_WITH_AS(
      kernels::batch_norm_forward(test_device(), device.scratch, device.options(), device.norm(),
                                  {data.data(), 6, 4}, {data.data(), 5, 4}),
      "[batch_norm_forward] expected 6 rows, got 5", ShapeError);
}

TEST_SUITE_END();

}  // namespace opencd::test
