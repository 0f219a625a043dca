// Samples of several shapes, the questions of make_method.py about one-dimensional tests.
#pragma once

#include "support/method_golden.hpp"

#include <algorithm>

namespace opencd::test {

/// As `sample` of make_method.py, but ascending.
inline std::vector<double> sorted_sample(const nlohmann::json& spec) {
  const std::string kind = spec["kind"];
  const std::uint64_t seed = spec["seed"];
  const std::size_t count = spec["count"];
  HashedWords first(5 * seed);
  std::array<HashedWords, 3> more = {HashedWords(5 * seed + 1), HashedWords(5 * seed + 2),
                                     HashedWords(5 * seed + 3)};
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (kind == "ties") {
      values[i] = first.below(7);
      continue;
    }
    const double unit = first.unit();
    const double a = more[0].unit();
    const double b = more[1].unit();
    const double bell = a + b + more[2].unit();
    if (kind == "uniform") values[i] = unit;
    if (kind == "bell") values[i] = bell;
    if (kind == "skewed") values[i] = unit * unit * unit;
    if (kind == "clumps") values[i] = (i % 2 == 0 ? 0.0 : 3.0) + bell;
    if (kind == "uneven") values[i] = (i % 10 == 0 ? 4.0 : 0.0) + bell;
    if (kind == "three") values[i] = static_cast<double>(i % 3) * 2.0 + unit;
    if (kind == "even") values[i] = static_cast<double>(i) * 0.25;
    if (kind == "equal") values[i] = 2.5;
    if (kind == "outlier") values[i] = i == 0 ? 1e6 : unit;
  }
  std::sort(values.begin(), values.end());
  return values;
}

}  // namespace opencd::test
