#include "bench/method_loss_reference.hpp"
#include "bench/op_cases.hpp"
#include "kernels/balanced_targets.hpp"
#include "kernels/consistency.hpp"
#include "kernels/cross_entropy.hpp"
#include "kernels/deep_cluster.hpp"
#include "kernels/elementwise.hpp"
#include "kernels/rank_pairs.hpp"
#include "kernels/safe_weights.hpp"
#include "kernels/softmax.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>

namespace opencd::bench {

namespace {

using kernels::Buffer;
using kernels::Device;
using kernels::Scratch;

constexpr double kTolerance = 1e-4;

Case case_of(const char* name, const OpSizes& sizes, int passes) {
  Case result;
  result.name = name;
  result.params = {{"rows", sizes.rows}, {"columns", sizes.columns}};
  result.work = 4.0 * passes * static_cast<double>(sizes.rows * sizes.columns);
  result.unit = "B";
  return result;
}

std::string compare_value(float actual, double expected) {
  return compare({actual}, [&](std::size_t) { return expected; }, kTolerance);
}

Case cross_entropy_case(Device& device, const OpSizes& sizes) {
  struct Data {
    std::vector<float> values;
    std::vector<std::int32_t> host_labels;
    Buffer<float> src, diff;
    Buffer<std::int32_t> labels, pseudo;
    Buffer<kernels::CrossEntropyRecord> record;
    Scratch scratch;
  };
  const auto values = random_values(sizes.rows * sizes.columns, 31);
  const auto labels = mixed_labels(sizes.rows, sizes.columns);
  auto data = std::make_shared<Data>(
      Data{values, labels, to_device(device, values), Buffer<float>(device, values.size()),
           to_device(device, labels), Buffer<std::int32_t>(device, sizes.rows),
           Buffer<kernels::CrossEntropyRecord>(device, 1),
           Scratch(device, kernels::cross_entropy_scratch_bytes(sizes.rows))});
  Case result = case_of("cross_entropy", sizes, 4);
  result.run = [&device, data, sizes] {
    const auto src = data->src.rows(sizes.rows, sizes.columns);
    kernels::fill(device, data->diff, 0.0f);
    kernels::pseudo_labels(device, src, data->labels, data->pseudo, 0.9f);
    kernels::cross_entropy(device, data->scratch, src, data->labels,
                           data->diff.rows(sizes.rows, sizes.columns), data->record,
                           {.scale = 10.0f, .margin = 0.3f});
  };
  result.check = [&device, data, run = result.run]() -> std::string {
    run();
    const ReferenceLoss expected =
        reference_cross_entropy(data->values, data->host_labels, 10.0, 0.3);
    std::string wrong = compare_value(to_host(device, data->record)[0].loss, expected.loss);
    if (!wrong.empty()) return wrong;
    const auto pseudo = to_host(device, data->pseudo);
    for (std::size_t row = 0; row < pseudo.size(); ++row)
      if ((data->host_labels[row] >= 0) != (pseudo[row] == -1))
        return fmt::format("row {} has pseudo-label {}", row, pseudo[row]);
    return compare(to_host(device, data->diff), [&](std::size_t i) { return expected.diff[i]; });
  };
  return result;
}

Case consistency_case(Device& device, const OpSizes& sizes) {
  struct Data {
    std::vector<float> values[2];
    Buffer<float> a, b, diff_a, diff_b, loss;
    Scratch scratch;
  };
  const std::size_t size = sizes.rows * sizes.columns;
  const auto a = random_values(size, 32);
  const auto b = random_values(size, 33);
  auto data = std::make_shared<Data>(
      Data{{a, b},
           to_device(device, a),
           to_device(device, b),
           Buffer<float>(device, size),
           Buffer<float>(device, size),
           Buffer<float>(device, 1),
           Scratch(device, kernels::mean_squared_difference_scratch_bytes(sizes.rows))});
  Case result = case_of("mean_squared_difference", sizes, 8);
  result.run = [&device, data, sizes] {
    kernels::fill(device, data->diff_a, 0.0f);
    kernels::fill(device, data->diff_b, 0.0f);
    const auto rows = [&](const Buffer<float>& x) { return x.rows(sizes.rows, sizes.columns); };
    kernels::mean_squared_difference(device, data->scratch, rows(data->a), rows(data->b),
                                     rows(data->diff_a), rows(data->diff_b), data->loss);
  };
  result.check = [&device, data, run = result.run] {
    run();
    const ReferenceLoss expected = reference_squared_difference(data->values[0], data->values[1]);
    std::string wrong = compare_value(to_host(device, data->loss)[0], expected.loss);
    if (!wrong.empty()) return wrong;
    return compare(to_host(device, data->diff_b), [&](std::size_t i) { return -expected.diff[i]; });
  };
  return result;
}

Case rank_pairs_case(Device& device, std::size_t rows) {
  struct Data {
    std::vector<float> values;
    std::vector<std::int32_t> host_tops, host_labels;
    Buffer<float> products, diff, loss;
    Buffer<std::int32_t> tops, labels;
    Scratch scratch;
  };
  auto values = random_values(rows * rows, 34);
  for (float& value : values) value = 0.5f + 0.45f * value;
  std::vector<std::int32_t> tops;
  tops.reserve(5 * rows);
  for (std::size_t i = 0; i < 5 * rows; ++i)
    tops.push_back(static_cast<std::int32_t>((i + i / 5) % 5 + (i / 5) % 3));
  const auto labels = mixed_labels(rows, 10);
  auto data = std::make_shared<Data>(
      Data{values, tops, labels, to_device(device, values), Buffer<float>(device, values.size()),
           Buffer<float>(device, 1), to_device(device, tops), to_device(device, labels),
           Scratch(device, kernels::rank_pairs_scratch_bytes(rows))});
  Case result = case_of("rank_pairs", {.rows = rows, .columns = rows}, 2);
  result.run = [&device, data, rows] {
    kernels::rank_pairs(device, data->scratch, data->products.rows(rows, rows),
                        data->tops.rows(rows, 5), data->labels, data->diff.rows(rows, rows),
                        data->loss);
  };
  result.check = [&device, data, run = result.run] {
    run();
    const ReferenceLoss expected =
        reference_rank_pairs(data->values, data->host_tops, data->host_labels);
    std::string wrong = compare_value(to_host(device, data->loss)[0], expected.loss);
    if (!wrong.empty()) return wrong;
    return compare(to_host(device, data->diff), [&](std::size_t i) { return expected.diff[i]; });
  };
  return result;
}

Case deep_cluster_case(Device& device, const OpSizes& sizes) {
  struct Data {
    ClusterProblem problem;
    Buffer<float> z[2], s[2], totals[2], diff[2], centres, diff_centres, targets;
    Buffer<std::int32_t> numbers, labels;
    Buffer<kernels::DeepClusterRecord> record;
    std::optional<Scratch> scratch;
  };
  const std::size_t clusters = std::max<std::size_t>(2, sizes.columns / 5);
  auto data = std::make_shared<Data>();
  data->problem = random_cluster_problem(sizes.rows, clusters, clusters);
  for (int v = 0; v < 2; ++v) {
    data->z[v] = to_device(device, data->problem.z[v]);
    data->s[v] = Buffer<float>(device, sizes.rows * clusters);
    data->totals[v] = Buffer<float>(device, sizes.rows);
    data->diff[v] = Buffer<float>(device, sizes.rows * clusters);
  }
  data->centres = to_device(device, data->problem.centres);
  data->diff_centres = Buffer<float>(device, clusters * clusters);
  data->targets = to_device(device, data->problem.targets);
  std::vector<std::int32_t> numbers(sizes.rows);
  std::iota(numbers.begin(), numbers.end(), 0);
  data->numbers = to_device(device, numbers);
  data->labels = to_device(device, data->problem.labels);
  data->record = Buffer<kernels::DeepClusterRecord>(device, 1);
  data->scratch.emplace(device, kernels::deep_cluster_scratch_bytes(sizes.rows, clusters));
  Case result = case_of("deep_cluster_loss", {.rows = sizes.rows, .columns = clusters}, 12);
  result.run = [&device, data, rows = sizes.rows, clusters] {
    const auto matrix = [&](const Buffer<float>& x) { return x.rows(rows, clusters); };
    const auto centres = data->centres.rows(clusters, clusters);
    for (int v = 0; v < 2; ++v)
      kernels::student_assignments(device, matrix(data->z[v]), centres, matrix(data->s[v]),
                                   data->totals[v]);
    const auto view = [&](int v) -> kernels::AssignedView {
      return {matrix(data->z[v]), matrix(data->s[v]), data->totals[v], matrix(data->diff[v])};
    };
    kernels::deep_cluster_loss(device, *data->scratch, view(0), view(1), centres,
                               {matrix(data->targets), data->numbers, data->labels},
                               data->diff_centres.rows(clusters, clusters), data->record,
                               static_cast<float>(data->problem.weight));
  };
  result.check = [&device, data, run = result.run] {
    run();
    ClusterProblem& problem = data->problem;
    const auto value = [&] { return reference_cluster_loss(problem); };
    const kernels::DeepClusterRecord record = to_host(device, data->record)[0];
    std::string wrong =
        compare_value(record.kl + static_cast<float>(problem.weight) * record.consistency, value());
    const auto diff = to_host(device, data->diff_centres);
    for (std::size_t i = 0; i < 4 && wrong.empty(); ++i) {
      const std::size_t at = diff.size() * i / 4;
      wrong = compare_value(diff[at], central_slope(problem.centres, at, value));
    }
    return wrong;
  };
  return result;
}

Case safe_weights_case(Device& device, const OpSizes& sizes) {
  struct Data {
    SafeProblem problem;
    Buffer<float> p[2], weights, slope, diff, diff_weights, bias;
    Buffer<std::int32_t> labels;
    Buffer<kernels::SafeWeightsRecord> record;
    std::optional<Scratch> scratch;
  };
  const std::size_t size = sizes.rows * sizes.columns;
  auto data = std::make_shared<Data>();
  data->problem = random_safe_problem(sizes.rows, sizes.columns);
  for (int v = 0; v < 2; ++v) {
    data->p[v] = to_device(device, data->problem.logits[v]);
    const auto rows = data->p[v].rows(sizes.rows, sizes.columns);
    kernels::softmax_rows(device, rows, rows);
  }
  data->weights = to_device(device, data->problem.weight_logits);
  data->slope = Buffer<float>(device, size);
  data->diff = Buffer<float>(device, size);
  data->diff_weights = Buffer<float>(device, sizes.rows);
  data->bias = to_device(device, std::vector<float>(sizes.columns, 0.0f));
  data->labels = to_device(device, data->problem.labels);
  data->record = Buffer<kernels::SafeWeightsRecord>(device, 1);
  data->scratch.emplace(device, kernels::safe_weights_scratch_bytes(sizes.rows));
  Case result = case_of("safe_consistency", sizes, 8);
  result.run = [&device, data, sizes] {
    const auto matrix = [&](const Buffer<float>& x) { return x.rows(sizes.rows, sizes.columns); };
    const kernels::SafeBatch batch{matrix(data->p[0]), matrix(data->p[1]), data->weights,
                                   data->labels};
    kernels::safe_consistency(device, *data->scratch, batch, matrix(data->slope),
                              matrix(data->diff), data->record, 1.0f);
    kernels::safe_weight_gradient(device, *data->scratch, batch, matrix(data->slope),
                                  matrix(data->p[0]), data->bias, data->record, data->diff_weights,
                                  1.0f);
  };
  result.check = [&device, data, run = result.run] {
    run();
    SafeProblem& problem = data->problem;
    const auto value = [&] { return reference_safe_consistency(problem); };
    std::string wrong = compare_value(to_host(device, data->record)[0].consistency, value());
    const auto diff = to_host(device, data->diff);
    for (std::size_t i = 0; i < 4 && wrong.empty(); ++i) {
      const std::size_t at = diff.size() * i / 4;
      wrong = compare_value(diff[at], central_slope(problem.logits[1], at, value));
    }
    return wrong;
  };
  return result;
}

Case balanced_targets_case(Device& device, const OpSizes& sizes) {
  struct Data {
    std::vector<double> host_q;
    std::vector<float> host_shares;
    Buffer<float> q, shares, targets;
    Scratch scratch;
  };
  const auto values = random_values(sizes.rows * sizes.columns, 36);
  std::vector<double> q(values.begin(), values.end());
  for (double& entry : q) entry = std::exp(entry);
  for (std::size_t row = 0; row < sizes.rows; ++row) {
    const auto first = q.begin() + static_cast<std::ptrdiff_t>(row * sizes.columns);
    const auto last = first + static_cast<std::ptrdiff_t>(sizes.columns);
    const double sum = std::accumulate(first, last, 0.0);
    std::for_each(first, last, [&](double& entry) { entry /= sum; });
  }
  const std::vector<float> shares(sizes.columns, 1.0f / static_cast<float>(sizes.columns));
  auto data = std::make_shared<Data>(
      Data{q, shares, to_device(device, std::vector<float>(q.begin(), q.end())),
           to_device(device, shares), Buffer<float>(device, q.size()),
           Scratch(device, kernels::balanced_targets_scratch_bytes(sizes.rows, sizes.columns))});
  const kernels::BalanceConfig config;
  Case result = case_of("balanced_targets", sizes, 2 + 3 * config.rounds);
  result.run = [&device, data, sizes, config] {
    kernels::balanced_targets(device, data->scratch, data->q.rows(sizes.rows, sizes.columns),
                              data->shares, data->targets.rows(sizes.rows, sizes.columns), config);
  };
  result.check = [&device, data, config, run = result.run] {
    run();
    const auto expected = reference_balanced_targets(data->host_q, data->host_shares, config.rounds,
                                                     config.sharpness);
    return compare(to_host(device, data->targets), [&](std::size_t i) { return expected[i]; });
  };
  return result;
}

}  // namespace

std::vector<Case> method_loss_cases(Device& device, const OpSizes& sizes) {
  return {cross_entropy_case(device, sizes),   consistency_case(device, sizes),
          rank_pairs_case(device, sizes.rows), deep_cluster_case(device, sizes),
          safe_weights_case(device, sizes),    balanced_targets_case(device, sizes)};
}

}  // namespace opencd::bench
