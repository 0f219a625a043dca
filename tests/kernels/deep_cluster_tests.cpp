#include "kernels/deep_cluster.hpp"

#include "bench/method_loss_reference.hpp"
#include "error.hpp"
#include "support/compare.hpp"
#include "support/matrices.hpp"

#include <numeric>

namespace opencd::test {

namespace {

struct Clustered {
  kernels::DeepClusterRecord record;
  std::vector<float> diff_z[2], diff_centres, s;
};

Clustered cluster(const bench::ClusterProblem& problem) {
  kernels::Device& device = test_device();
  const std::size_t rows = problem.rows;
  const auto centres = to_device(device, problem.centres);
  const auto targets = to_device(device, problem.targets);
  const auto labels = to_device(device, problem.labels);
  std::vector<std::int32_t> order(rows);
  std::iota(order.begin(), order.end(), 0);
  const auto numbers = to_device(device, order);
  const auto centre_rows = centres.rows(problem.clusters, problem.columns);
  kernels::Buffer<float> z[2], s[2], totals[2], diff[2];
  for (int v = 0; v < 2; ++v) {
    z[v] = to_device(device, problem.z[v]);
    s[v] = kernels::Buffer<float>(device, rows * problem.clusters);
    totals[v] = kernels::Buffer<float>(device, rows);
    diff[v] = kernels::Buffer<float>(device, z[v].size());
    kernels::student_assignments(device, z[v].rows(rows, problem.columns), centre_rows,
                                 s[v].rows(rows, problem.clusters), totals[v]);
  }
  const auto view = [&](int v) -> kernels::AssignedView {
    return {z[v].rows(rows, problem.columns), s[v].rows(rows, problem.clusters), totals[v],
            diff[v].rows(rows, problem.columns)};
  };
  const kernels::Buffer<float> diff_centres(device, centres.size());
  kernels::Buffer<kernels::DeepClusterRecord> record(device, 1);
  kernels::Scratch scratch(device, kernels::deep_cluster_scratch_bytes(rows, problem.clusters));
  kernels::deep_cluster_loss(device, scratch, view(0), view(1), centre_rows,
                             {targets.rows(rows, problem.clusters), numbers, labels},
                             diff_centres.rows(problem.clusters, problem.columns), record,
                             static_cast<float>(problem.weight));
  return {to_host(device, record).front(),
          {to_host(device, diff[0]), to_host(device, diff[1])},
          to_host(device, diff_centres),
          to_host(device, s[0])};
}

}  // namespace

TEST_SUITE_BEGIN("kernels/deep_cluster");

TEST_CASE("assignments sum to one; loss and gradients are those of the formula") {
  for (const MatrixShape shape : {MatrixShape{2, 1}, {5, 3}, {17, 16}, {33, 10}, {40, 20}}) {
    CAPTURE(shape);
    bench::ClusterProblem problem =
        bench::random_cluster_problem(shape.rows, shape.columns, shape.columns);
    const Clustered actual = cluster(problem);
    for (std::size_t row = 0; row < shape.rows; ++row)
      CHECK(row_sum(actual.s, shape, row) == doctest::Approx(1.0).epsilon(1e-5));
    const auto value = [&] { return bench::reference_cluster_loss(problem); };
    const double loss = actual.record.kl + problem.weight * actual.record.consistency;
    CHECK(loss == doctest::Approx(value()).epsilon(1e-4));
    const auto compare = [&](std::vector<float>& values, const std::vector<float>& diff) {
      double largest = 1e-6;
      for (const float slope : diff) largest = std::max(largest, std::abs(double{slope}));
      for (std::size_t i = 0; i < 8; ++i) {
        const std::size_t at = values.size() * i / 8;
        CHECK(std::abs(diff[at] - bench::central_slope(values, at, value)) < 2e-3 * largest);
      }
    };
    compare(problem.z[0], actual.diff_z[0]);
    compare(problem.z[1], actual.diff_z[1]);
    compare(problem.centres, actual.diff_centres);
  }
}

TEST_CASE("labelled rows are pulled nowhere") {
  bench::ClusterProblem problem = bench::random_cluster_problem(4, 3, 3);
  problem.labels = {0, 1, 2, 0};
  const Clustered actual = cluster(problem);
  CHECK_EQ(actual.record.kl, 0.0f);
  CHECK_EQ(actual.diff_centres, std::vector<float>(9, 0.0f));
}

TEST_CASE("centres of another width are refused") {
  kernels::Device& device = test_device();
  const kernels::Buffer<float> x(device, 12);
  CHECK_THROWS_AS(kernels::student_assignments(device, x.rows(4, 3), x.rows(3, 4), x.rows(4, 3),
                                               x.view().slice(0, 4)),
                  ShapeError);
}

TEST_SUITE_END();

}  // namespace opencd::test
