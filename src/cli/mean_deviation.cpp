#include "cli/mean_deviation.hpp"

#include <cmath>

namespace opencd::cli {

MeanDeviation mean_deviation(std::span<const double> values) {
  MeanDeviation result;
  for (const double value : values)
    if (std::isfinite(value)) {
      ++result.count;
      result.mean += value;
    }
  if (result.count == 0) return result;
  result.mean /= static_cast<double>(result.count);
  for (const double value : values)
    if (std::isfinite(value)) result.deviation += (value - result.mean) * (value - result.mean);
  result.deviation =
      result.count < 2 ? 0.0 : std::sqrt(result.deviation / static_cast<double>(result.count - 1));
  return result;
}

}  // namespace opencd::cli
