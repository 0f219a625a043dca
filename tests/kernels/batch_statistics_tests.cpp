#include "kernels/batch_statistics.hpp"

#include "support/compare.hpp"
#include "support/matrices.hpp"

namespace opencd::test {

namespace {

/// Positive numbers, as variances are.
std::vector<float> variances(std::size_t count) {
  std::vector<float> values = Random(5).normals(count);
  for (float& value : values) value = value * value + 0.1f;
  return values;
}

}  // namespace

TEST_SUITE_BEGIN("kernels/batch_statistics");

TEST_CASE("running statistics follow the batch where a channel takes part") {
  for (const std::size_t count : awkward_sizes()) {
    CAPTURE(count);
    const std::vector<float> batch_mean = Random(1).normals(count);
    const std::vector<float> batch_var = variances(count);
    const std::vector<float> start = Random(2).normals(count);
    std::vector<float> unbias(count);
    for (std::size_t i = 0; i < count; ++i) unbias[i] = i % 3 == 0 ? 0.0f : 1.25f;
    const auto mean = kernels::to_device(test_device(), start);
    const auto var = kernels::to_device(test_device(), start);
    const auto dev_mean = kernels::to_device(test_device(), batch_mean);
    const auto dev_var = kernels::to_device(test_device(), batch_var);
    const auto dev_unbias = kernels::to_device(test_device(), unbias);
    kernels::update_running_statistics(test_device(), {dev_mean, dev_var, dev_unbias}, {mean, var},
                                       0.1f);
    std::vector<double> expected_mean(start.begin(), start.end());
    std::vector<double> expected_var = expected_mean;
    for (std::size_t i = 0; i < count; ++i) {
      if (unbias[i] == 0.0f) continue;
      expected_mean[i] = 0.9 * start[i] + 0.1 * batch_mean[i];
      expected_var[i] = 0.9 * start[i] + 0.1 * 1.25 * batch_var[i];
    }
    CHECK_CLOSE(kernels::to_host(test_device(), mean), expected_mean, .rtol = 1e-5, .atol = 1e-6);
    CHECK_CLOSE(kernels::to_host(test_device(), var), expected_var, .rtol = 1e-5, .atol = 1e-6);
  }
}

TEST_CASE("a folded batch norm is the same affine function") {
  const std::size_t count = 77;
  const std::vector<float> weight = Random(1).normals(count);
  const std::vector<float> bias = Random(2).normals(count);
  const std::vector<float> mean = Random(3).normals(count);
  const std::vector<float> var = variances(count);
  const auto to = [](const std::vector<float>& v) { return kernels::to_device(test_device(), v); };
  const auto dev_weight = to(weight), dev_bias = to(bias), dev_mean = to(mean), dev_var = to(var);
  const kernels::Buffer<float> scale(test_device(), count);
  const kernels::Buffer<float> shift(test_device(), count);
  kernels::fold_batch_norm(test_device(), {dev_weight, dev_bias, dev_mean, dev_var}, scale, shift,
                           1e-5f);
  const std::vector<float> a = kernels::to_host(test_device(), scale);
  const std::vector<float> b = kernels::to_host(test_device(), shift);
  for (std::size_t i = 0; i < count; ++i)
    for (const double x : {-2.0, 0.0, 3.0}) {
      const double expected = (x - mean[i]) / std::sqrt(var[i] + 1e-5) * weight[i] + bias[i];
      CHECK(a[i] * x + b[i] == doctest::Approx(expected).epsilon(1e-4));
    }
}

TEST_CASE("rejects statistics of different lengths") {
  const kernels::Buffer<float> three(test_device(), 3);
  const kernels::Buffer<float> four(test_device(), 4);
  CHECK_THROWS_WITH_AS(
      kernels::update_running_statistics(test_device(), {three, three, four}, {three, three}, 0.1f),
      "[update_running_statistics] expected 3 channels, got 4", ShapeError);
}

TEST_SUITE_END();

}  // namespace opencd::test
