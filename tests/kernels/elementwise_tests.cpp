#include "kernels/elementwise.hpp"

#include "support/compare.hpp"
#include "support/matrices.hpp"

#include <cmath>
#include <limits>
#include <numbers>

namespace opencd::test {

namespace {

using kernels::Buffer;
using kernels::View;

/// Runs `run(x, y, z)` on random vectors of every awkward size, z starting as a copy of y, and
/// compares z with `expected(x_i, y_i)` in double.
template <class Run, class Expected>
void check_elementwise(Run run,
                       Expected expected,
                       Tolerance tolerance = {.rtol = 1e-6, .atol = 1e-7}) {
  for (const std::size_t size : awkward_sizes()) {
    CAPTURE(size);
    Random random(static_cast<std::uint32_t>(size + 1));
    const std::vector<float> x = random.normals(size);
    const std::vector<float> y = random.normals(size);
    const auto dev_x = kernels::to_device(test_device(), x);
    const auto dev_y = kernels::to_device(test_device(), y);
    const auto dev_z = kernels::to_device(test_device(), y);
    run(dev_x.view(), dev_y.view(), dev_z.view());
    std::vector<double> wanted(size);
    for (std::size_t i = 0; i < size; ++i) wanted[i] = expected(x[i], y[i]);
    CHECK_EQ(difference(kernels::to_host(test_device(), dev_z), wanted, tolerance), "");
  }
}

double positive(double value) { return value > 0.0 ? value : 0.0; }
double normal_share(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }
double normal_density(double x) {
  return std::exp(-0.5 * x * x) / std::sqrt(2.0 * std::numbers::pi);
}

}  // namespace

TEST_SUITE_BEGIN("kernels/elementwise");

TEST_CASE("fill, copy, scale and axpy match the double reference at awkward sizes") {
  using F = View<float>;
  check_elementwise([](F, F, F z) { kernels::fill(test_device(), z, -2.5f); },
                    [](double, double) { return -2.5; });
  check_elementwise([](F x, F, F z) { kernels::copy(test_device(), x, z); },
                    [](double x, double) { return x; });
  check_elementwise([](F, F, F z) { kernels::scale(test_device(), z, 0.3f); },
                    [](double, double y) { return 0.3f * y; });
  check_elementwise([](F x, F, F z) { kernels::axpy(test_device(), -1.5f, x, z); },
                    [](double x, double y) { return y - 1.5 * x; });
}

TEST_CASE("add, relu and add_relu match the double reference at awkward sizes") {
  using F = View<float>;
  check_elementwise([](F x, F y, F z) { kernels::add(test_device(), x, y, z); },
                    [](double x, double y) { return x + y; });
  check_elementwise([](F x, F, F z) { kernels::relu(test_device(), x, z); },
                    [](double x, double) { return positive(x); });
  check_elementwise([](F x, F y, F z) { kernels::add_relu(test_device(), x, y, z); },
                    [](double x, double y) { return positive(x + y); });
  check_elementwise([](F x, F y, F z) { kernels::relu_backward(test_device(), x, y, z); },
                    [](double x, double y) { return x > 0.0 ? y : 0.0; });
  check_elementwise([](F x, F y, F z) { kernels::add_relu_backward(test_device(), x, y, y, z); },
                    [](double x, double y) { return x > 0.0 ? y + y : 0.0; });
}

TEST_CASE("what is not a number stays that, in ReLU and its backward") {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> x(100, 1.0f);
  x[7] = nan;
  x[99] = nan;
  const auto src = kernels::to_device(test_device(), x);
  const auto ones = kernels::to_device(test_device(), std::vector<float>(100, 1.0f));
  const Buffer<float> dst(test_device(), 100);
  const auto places = [&] {
    std::vector<std::size_t> found;
    const std::vector<float> values = kernels::to_host(test_device(), dst);
    for (std::size_t i = 0; i < values.size(); ++i)
      if (std::isnan(values[i])) found.push_back(i);
    return found;
  };
  const std::vector<std::size_t> expected = {7, 99};
  kernels::relu(test_device(), src, dst);
  CHECK_EQ(places(), expected);
  kernels::add_relu(test_device(), src, ones, dst);
  CHECK_EQ(places(), expected);
  kernels::leaky_relu(test_device(), src, dst, 0.1f);
  CHECK_EQ(places(), expected);
  kernels::relu_backward(test_device(), ones, src, dst);
  CHECK_EQ(places(), expected);
}

TEST_CASE("gelu and its backward match the double reference at awkward sizes") {
  using F = View<float>;
  // One less an error function loses digits in the left tail.
  const Tolerance tail{.rtol = 1e-5, .atol = 1e-6};
  check_elementwise([](F x, F, F z) { kernels::gelu(test_device(), x, z); },
                    [](double x, double) { return x * normal_share(x); }, tail);
  check_elementwise(
      [](F x, F y, F z) { kernels::gelu_backward(test_device(), x, y, z); },
      [](double x, double y) { return y * (normal_share(x) + x * normal_density(x)); }, tail);
}

TEST_CASE("relu backward is the derivative of relu away from its kink") {
  Random random(5);
  const std::vector<float> x = random.normals(1000);
  constexpr float kStep = 1e-3f;
  std::vector<float> moved = x;
  for (float& value : moved) value += kStep;
  const auto src = kernels::to_device(test_device(), x);
  const auto src_moved = kernels::to_device(test_device(), moved);
  Buffer<float> dst(test_device(), x.size());
  Buffer<float> dst_moved(test_device(), x.size());
  kernels::relu(test_device(), src, dst);
  kernels::relu(test_device(), src_moved, dst_moved);
  const auto ones = kernels::to_device(test_device(), std::vector<float>(x.size(), 1.0f));
  Buffer<float> slope(test_device(), x.size());
  kernels::relu_backward(test_device(), dst, ones, slope);
  const auto before = kernels::to_host(test_device(), dst);
  const auto after = kernels::to_host(test_device(), dst_moved);
  const auto analytic = kernels::to_host(test_device(), slope);
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (std::abs(x[i]) <= kStep) continue;
    CHECK((after[i] - before[i]) / kStep == doctest::Approx(analytic[i]).epsilon(1e-3));
  }
}

TEST_CASE("leaky relu and its backward match the double reference at awkward sizes") {
  using F = View<float>;
  check_elementwise([](F x, F, F z) { kernels::leaky_relu(test_device(), x, z, 0.01f); },
                    [](double x, double) { return x > 0.0 ? x : 0.01f * x; });
  check_elementwise(
      [](F x, F y, F z) { kernels::leaky_relu_backward(test_device(), x, y, z, 0.01f); },
      [](double x, double y) { return x > 0.0 ? y : 0.01f * y; });
  const auto x = kernels::to_device(test_device(), std::vector<float>{-4.0f, 0.0f, 2.0f});
  kernels::leaky_relu(test_device(), x, x, 0.5f);
  CHECK(kernels::to_host(test_device(), x) == std::vector<float>{-2.0f, 0.0f, 2.0f});
}

TEST_CASE("add_relu equals add followed by relu to the bit") {
  Random random(6);
  const auto x = kernels::to_device(test_device(), random.normals(10'001));
  const auto y = kernels::to_device(test_device(), random.normals(10'001));
  Buffer<float> fused(test_device(), x.size());
  Buffer<float> steps(test_device(), x.size());
  kernels::add_relu(test_device(), x, y, fused);
  kernels::add(test_device(), x, y, steps);
  kernels::relu(test_device(), steps, steps);
  CHECK(kernels::to_host(test_device(), fused) == kernels::to_host(test_device(), steps));
}

TEST_CASE("outputs may be inputs, and sizes must agree") {
  const auto x = kernels::to_device(test_device(), std::vector<float>{1, 2, 3});
  kernels::add(test_device(), x, x, x);
  CHECK(kernels::to_host(test_device(), x) == std::vector<float>{2, 4, 6});
  CHECK_THROWS_WITH_AS(kernels::add(test_device(), x, x.view().slice(0, 2), x),
                       "[add] expected 3 elements, got 2", ShapeError);
}

TEST_SUITE_END();

}  // namespace opencd::test
