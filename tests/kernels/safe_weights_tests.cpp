#include "kernels/safe_weights.hpp"

#include "bench/method_loss_reference.hpp"
#include "error.hpp"
#include "kernels/softmax.hpp"
#include "support/compare.hpp"
#include "support/matrices.hpp"

namespace opencd::test {

namespace {

struct Safe {
  kernels::SafeWeightsRecord record;
  std::vector<float> slope, diff, diff_weights;
};

constexpr float kFactor = 2.5f;
constexpr float kRate = 0.1f;

/// With a random outer gradient, the one that `agreement` takes.
Safe weigh(const bench::SafeProblem& problem) {
  kernels::Device& device = test_device();
  const std::size_t rows = problem.rows;
  const std::size_t classes = problem.classes;
  kernels::Buffer<float> p[2];
  for (int v = 0; v < 2; ++v) {
    p[v] = to_device(device, problem.logits[v]);
    kernels::softmax_rows(device, p[v].rows(rows, classes), p[v].rows(rows, classes));
  }
  const auto weights = to_device(device, problem.weight_logits);
  const auto labels = to_device(device, problem.labels);
  const auto outer = to_device(device, bench::random_values(rows * classes, 60));
  const auto bias = to_device(device, bench::random_values(classes, 61));
  const kernels::Buffer<float> slope(device, rows * classes);
  const kernels::Buffer<float> diff(device, rows * classes);
  const kernels::Buffer<float> diff_weights(device, rows);
  kernels::Buffer<kernels::SafeWeightsRecord> record(device, 1);
  kernels::Scratch scratch(device, kernels::safe_weights_scratch_bytes(rows));
  const kernels::SafeBatch batch{p[0].rows(rows, classes), p[1].rows(rows, classes), weights,
                                 labels};
  kernels::safe_consistency(device, scratch, batch, slope.rows(rows, classes),
                            diff.rows(rows, classes), record, kFactor);
  kernels::safe_weight_gradient(device, scratch, batch, slope.rows(rows, classes),
                                outer.rows(rows, classes), bias, record, diff_weights,
                                kFactor * kRate);
  return {to_host(device, record).front(), to_host(device, slope), to_host(device, diff),
          to_host(device, diff_weights)};
}

/// The inner product of the outer gradient with that of the weighted mean, times -rate and factor:
/// its slope by a weight's logit is what the weights are to learn.
double agreement(const bench::SafeProblem& problem, const std::vector<float>& slope) {
  const auto outer = bench::random_values(problem.rows * problem.classes, 60);
  const auto bias = bench::random_values(problem.classes, 61);
  double weights = 0.0;
  double sum = 0.0;
  for (std::size_t row = 0; row < problem.rows; ++row) {
    if (problem.labels[row] >= 0) continue;
    const double w = 1.0 / (1.0 + std::exp(-static_cast<double>(problem.weight_logits[row])));
    weights += w;
    for (std::size_t c = 0; c < problem.classes; ++c)
      sum += w * slope[row * problem.classes + c] *
             (static_cast<double>(outer[row * problem.classes + c]) + bias[c]);
  }
  return weights > 0.0 ? -kRate * kFactor * sum / weights : 0.0;
}

}  // namespace

TEST_SUITE_BEGIN("kernels/safe_weights");

TEST_CASE("the weighted mean, its gradient and that of the weights are those of the formulas") {
  for (const MatrixShape shape : {MatrixShape{2, 2}, {5, 3}, {17, 16}, {33, 5}, {130, 20}}) {
    CAPTURE(shape);
    bench::SafeProblem problem = bench::random_safe_problem(shape.rows, shape.columns);
    const Safe actual = weigh(problem);
    const auto value = [&] { return bench::reference_safe_consistency(problem); };
    CHECK(actual.record.consistency == doctest::Approx(value()).epsilon(1e-4));
    const auto compare = [](std::vector<float>& values, const std::vector<float>& diff,
                            double factor, const std::function<double()>& function) {
      double largest = 1e-6;  // a weight alone has the slope 0, up to rounding
      for (const float slope : diff) largest = std::max(largest, std::abs(double{slope}));
      for (std::size_t i = 0; i < 8; ++i) {
        const std::size_t at = values.size() * i / 8;
        const double wanted = factor * bench::central_slope(values, at, function);
        CHECK(std::abs(diff[at] - wanted) < 2e-3 * largest);
      }
    };
    compare(problem.logits[1], actual.diff, kFactor, value);
    compare(problem.weight_logits, actual.diff_weights, 1.0,
            [&] { return agreement(problem, actual.slope); });
  }
}

TEST_CASE("without unlabelled rows everything is 0") {
  bench::SafeProblem problem = bench::random_safe_problem(3, 4);
  problem.labels = {0, 1, 2};
  const Safe actual = weigh(problem);
  CHECK_EQ(actual.record.consistency, 0.0f);
  CHECK_EQ(actual.diff, std::vector<float>(12, 0.0f));
  CHECK_EQ(actual.diff_weights, std::vector<float>(3, 0.0f));
}

TEST_CASE("views of different shapes are refused") {
  kernels::Device& device = test_device();
  const kernels::Buffer<float> x(device, 12);
  const kernels::Buffer<std::int32_t> labels(device, 4);
  kernels::Buffer<kernels::SafeWeightsRecord> record(device, 1);
  kernels::Scratch scratch(device, 1024);
  CHECK_THROWS_AS(kernels::safe_consistency(
                      device, scratch, {x.rows(4, 3), x.rows(3, 4), x.view().slice(0, 4), labels},
                      x.rows(4, 3), x.rows(4, 3), record, 1.0f),
                  ShapeError);
}

TEST_SUITE_END();

}  // namespace opencd::test
