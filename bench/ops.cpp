#include "bench/ops.hpp"

#include "bench/op_cases.hpp"
#include "bench/reference.hpp"
#include "kernels/elementwise.hpp"
#include "kernels/memory.hpp"

#include <algorithm>
#include <memory>

namespace opencd::bench {

namespace {

using kernels::Device;

constexpr std::size_t kLarge = std::size_t{16} << 20;  // 64 MiB of f32: well past every cache

/// The driver's own copy within device memory.
Case copy_roof(Device& device) {
  struct Vectors {
    kernels::Buffer<float> src, dst;
  };
  auto v = std::make_shared<Vectors>();
  v->src = kernels::Buffer<float>(device, kLarge);
  v->dst = kernels::Buffer<float>(device, kLarge);
  kernels::fill(device, v->src, 1.0f);
  Case result;
  result.name = "device_copy";
  result.params = {{"bytes", 4 * kLarge}};
  result.work = 8.0 * static_cast<double>(kLarge);
  result.unit = "B";
  result.run = [&device, v] { device.copy(v->src.data(), v->dst.data(), 4 * kLarge); };
  result.check = [&device, v, run = result.run] {
    run();
    return compare(to_host(device, v->dst), [](std::size_t) { return 1.0; });
  };
  return result;
}

/// One element: what is left is the cost of starting a kernel.
Case launch_case(Device& device) {
  auto dst = std::make_shared<kernels::Buffer<float>>(device, 1);
  Case result;
  result.name = "launch";
  result.params = {{"elements", 1}};
  result.work = 1.0;
  result.unit = "launch";
  result.run = [&device, dst] { kernels::fill(device, *dst, 2.0f); };
  result.check = [&device, dst, run = result.run] {
    run();
    return compare(to_host(device, *dst), [](std::size_t) { return 2.0; });
  };
  return result;
}

double best_rate(const std::vector<Result>& results, const std::string& unit) {
  double best = 0.0;
  for (const Result& result : results)
    if (result.unit == unit) best = std::max(best, result.rate);
  return best;
}

}  // namespace

std::vector<Result> run_ops_suite(const nn::Engine& engine, const MeasureOptions& options) {
  Device& device = engine.device();
  std::vector<Result> results;
  const auto time = [&](const std::vector<Case>& cases) {
    for (const Case& what : cases) results.push_back(measure(device, what, options));
  };
  time({copy_roof(device)});
  const double bandwidth = results.front().rate;
  time({launch_case(device)});
  time(streaming_cases(device, {.elements = kLarge}));
  for (const auto& [rows, columns] :
       {std::pair{4096, 512}, {512, 50}, {100'000, 10}, {50'000, 500}})
    time(row_cases(device, {.rows = static_cast<std::size_t>(rows),
                            .columns = static_cast<std::size_t>(columns)}));
  for (const auto& [rows, prototypes] : {std::pair{512, 50}, {1024, 1000}, {2048, 50}})
    time(loss_cases(device, {.rows = static_cast<std::size_t>(rows),
                             .columns = static_cast<std::size_t>(prototypes)}));
  time(map_cases(device, {.rows = 4000}));
  for (const std::size_t rows : {512, 2048})
    time(method_loss_cases(device, {.rows = rows, .columns = 50}));
  for (const std::size_t n : {256, 1024, 2048}) {
    if (device.has_onemkl()) time({gemm_case(engine, n, true)});
    time({gemm_case(engine, n, false)});
  }
  set_roof(results, "GB/s", bandwidth);
  set_roof(results, "GFLOP/s", best_rate(results, "GFLOP/s"));
  return results;
}

}  // namespace opencd::bench
