// The formulas are checked step by step in nn/optimizer; here the sizes and the guards.
#include "kernels/optimizer.hpp"

#include "support/compare.hpp"
#include "support/matrices.hpp"

#include <limits>

namespace opencd::test {

namespace {

using kernels::Buffer;
using kernels::NormRecord;

/// A range of parameters with gradients, and zero moments.
struct Range {
  explicit Range(std::size_t count, NormRecord norm = {1.0f, 0})
      : start(Random(1).normals(count)),
        gradient(Random(2).normals(count)),
        value(kernels::to_device(test_device(), start)),
        grad(kernels::to_device(test_device(), gradient)),
        first(kernels::to_device(test_device(), std::vector<float>(count))),
        second(kernels::to_device(test_device(), std::vector<float>(count))),
        record(kernels::to_device<NormRecord>(test_device(), {norm})) {}
  kernels::OptimizerViews views() const { return {.value = value, .grad = grad, .record = record}; }

  std::vector<float> start, gradient;
  Buffer<float> value, grad, first, second;
  Buffer<NormRecord> record;
};

}  // namespace

TEST_SUITE_BEGIN("kernels/optimizer");

TEST_CASE("the first step of Adam has the size of the rate, at awkward sizes") {
  for (const std::size_t count : awkward_sizes()) {
    CAPTURE(count);
    const Range range(count);
    kernels::adam_step(test_device(), range.views(), range.first, range.second,
                       {.learning_rate = 0.01}, 1);
    std::vector<double> expected(range.start.begin(), range.start.end());
    for (std::size_t i = 0; i < count; ++i)
      expected[i] -= 0.01 * range.gradient[i] / (std::abs(range.gradient[i]) + 1e-8);
    CHECK_CLOSE(kernels::to_host(test_device(), range.value), expected, .rtol = 1e-5, .atol = 1e-5);
    CHECK_EQ(kernels::to_host(test_device(), range.grad), std::vector<float>(count, 0.0f));
  }
}

TEST_CASE("the first step of SGD follows the gradient, at awkward sizes") {
  for (const std::size_t count : awkward_sizes()) {
    CAPTURE(count);
    const Range range(count);
    kernels::sgd_step(test_device(), range.views(), range.first, {.learning_rate = 0.5});
    std::vector<double> expected(range.start.begin(), range.start.end());
    for (std::size_t i = 0; i < count; ++i) expected[i] -= 0.5 * range.gradient[i];
    CHECK_CLOSE(kernels::to_host(test_device(), range.value), expected, .rtol = 1e-5, .atol = 1e-6);
  }
}

TEST_CASE("a norm that is not finite stops the step, even if every entry is") {
  for (const NormRecord norm :
       {NormRecord{1.0f, 2}, NormRecord{std::numeric_limits<float>::infinity(), 0},
        NormRecord{std::numeric_limits<float>::quiet_NaN(), 0}}) {
    const Range range(100, norm);
    kernels::adam_step(test_device(), range.views(), range.first, range.second, {}, 1);
    kernels::sgd_step(test_device(), range.views(), range.first, {});
    CHECK_EQ(kernels::to_host(test_device(), range.value), range.start);
    CHECK_EQ(kernels::to_host(test_device(), range.first), std::vector<float>(100, 0.0f));
  }
}

TEST_CASE("weight decay reaches only the blocks that it is scaled for") {
  const Range range(40);
  const auto scale = kernels::to_device<float>(test_device(), {1.0f, 0.0f, 1.0f});
  kernels::OptimizerViews views = range.views();
  views.decay_scale = scale;
  views.weight_decay = 0.1f;
  kernels::sgd_step(test_device(), views, range.first, {.learning_rate = 1.0});
  std::vector<double> expected(range.start.begin(), range.start.end());
  for (std::size_t i = 0; i < 40; ++i)
    expected[i] -= range.gradient[i] + (i / 16 == 1 ? 0.0 : 0.1 * range.start[i]);
  CHECK_CLOSE(kernels::to_host(test_device(), range.value), expected, .rtol = 1e-5, .atol = 1e-6);
}

TEST_CASE("rejects moments and decay factors of another length") {
  const Range range(40);
  const Buffer<float> three(test_device(), 3);
  CHECK_THROWS_AS(kernels::sgd_step(test_device(), range.views(), three, {}), ShapeError);
  kernels::OptimizerViews views = range.views();
  views.decay_scale = kernels::View<const float>{three.data(), 2};
  CHECK_THROWS_WITH_AS(kernels::sgd_step(test_device(), views, range.first, {}),
                       "[sgd_step] expected 3 decay factors, got 2", ShapeError);
}

TEST_SUITE_END();

}  // namespace opencd::test
