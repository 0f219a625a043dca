// Timing with a correctness check: what every suite of `opencd_sycl bench` is made of.
#pragma once

#include "kernels/device.hpp"

#include <nlohmann/json.hpp>

#include <functional>
#include <string>
#include <vector>

namespace opencd::bench {

using Json = nlohmann::ordered_json;

/// One thing to time.
struct Case {
  std::string name;
  Json params = Json::object();        // what tells it from others of its name
  Json figures = Json::object();       // what was measured beside its time
  double work = 0.0;                   // done by one run, in the unit below
  std::string unit;                    // of work: "B", "flop", "img", ...
  std::function<void()> run;           // starts it; may return before it is done
  std::function<std::string()> check;  // runs it once; empty, or what is wrong with the result
};

/// What timing a case gave. A failed check has no times: a wrong result has no speed.
struct Result {
  std::string name;
  Json params;
  Json figures;
  double first_ms = 0.0;  // the first run: compiling, linking, touching memory
  std::vector<double> samples_ms;
  double median_ms = 0.0;
  double rate = 0.0;        // in `unit`
  std::string unit;         // "GB/s", "GFLOP/s", "img/s"
  double roof_share = 0.0;  // rate over the roof; 0: no roof is known
  std::string check;        // "passed", or what is wrong
};

struct MeasureOptions {
  int repeats = 7;
  double least_ms = 20.0;  // a sample repeats the case until it takes this long
};

double median(std::vector<double> values);

/// Checks the case, then times it.
Result measure(kernels::Device& device, const Case& what, const MeasureOptions& options);

/// Sets roof_share of all results in that unit.
void set_roof(std::vector<Result>& results, const std::string& unit, double roof);

/// The record of cli.md: suite, device, results, and how the run was made.
Json to_json(const std::string& suite,
             const kernels::DeviceInfo& device,
             const std::vector<Result>& results);

}  // namespace opencd::bench
