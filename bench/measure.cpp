#include "bench/measure.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace opencd::bench {

namespace {

/// Milliseconds that `runs` runs take until the last is done.
double time_runs(kernels::Device& device, const Case& what, int runs) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < runs; ++i) what.run();
  device.wait();
  const std::chrono::duration<double, std::milli> passed = std::chrono::steady_clock::now() - start;
  return passed.count();
}

struct Rate {
  double factor;
  std::string unit;
};

Rate rate_of(const std::string& unit) {
  if (unit == "B") return {1e-9, "GB/s"};
  if (unit == "flop") return {1e-9, "GFLOP/s"};
  return {1.0, unit + "/s"};
}

}  // namespace

double median(std::vector<double> values) {
  if (values.empty()) return 0.0;
  const std::size_t middle = values.size() / 2;
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(middle),
                   values.end());
  if (values.size() % 2 == 1) return values[middle];
  const double upper = values[middle];
  return 0.5 * (upper + *std::max_element(values.begin(),
                                          values.begin() + static_cast<std::ptrdiff_t>(middle)));
}

Result measure(kernels::Device& device, const Case& what, const MeasureOptions& options) {
  Result result;
  result.name = what.name;
  result.params = what.params;
  result.figures = what.figures;
  const std::string wrong = what.check();
  result.check = wrong.empty() ? "passed" : wrong;
  const Rate rate = rate_of(what.unit);
  result.unit = rate.unit;
  if (!wrong.empty()) return result;

  result.first_ms = time_runs(device, what, 1);
  const double once = std::max(1e-3, time_runs(device, what, 1));
  const int runs = std::clamp(static_cast<int>(std::ceil(options.least_ms / once)), 1, 1000);
  for (int i = 0; i < options.repeats; ++i)
    result.samples_ms.push_back(time_runs(device, what, runs) / runs);
  result.median_ms = median(result.samples_ms);
  result.rate = what.work * rate.factor / (result.median_ms * 1e-3);
  return result;
}

void set_roof(std::vector<Result>& results, const std::string& unit, double roof) {
  for (Result& result : results)
    if (result.unit == unit && roof > 0.0) result.roof_share = result.rate / roof;
}

Json to_json(const std::string& suite,
             const kernels::DeviceInfo& device,
             const std::vector<Result>& results) {
  Json list = Json::array();
  for (const Result& result : results) {
    Json entry = {{"name", result.name},
                  {"params", result.params},
                  {"samples_ms", result.samples_ms},
                  {"median_ms", result.median_ms},
                  {"first_ms", result.first_ms},
                  {"rate", result.rate},
                  {"unit", result.unit},
                  {"check", result.check}};
    if (!result.figures.empty()) entry["figures"] = result.figures;
    if (result.roof_share > 0.0) entry["roof_share"] = result.roof_share;
    list.push_back(std::move(entry));
  }
  return {{"suite", suite},
          {"device",
           {{"selector", device.selector},
            {"name", device.name},
            {"driver", device.driver},
            {"compute_units", device.compute_units},
            {"memory_bytes", device.memory_bytes}}},
          {"results", list}};
}

}  // namespace opencd::bench
