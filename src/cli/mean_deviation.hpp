// Mean and deviation of scores over seeds.
#pragma once

#include <cstddef>
#include <span>

namespace opencd::cli {

struct MeanDeviation {
  std::size_t count = 0;
  double mean = 0.0;
  double deviation = 0.0;  // of the sample (n - 1); 0 for fewer than two
};

/// Numbers that are not finite do not count.
MeanDeviation mean_deviation(std::span<const double> values);

}  // namespace opencd::cli
