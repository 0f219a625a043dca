#include "opencd/counting/anderson_darling.hpp"

#include <cmath>
#include <numbers>
#include <numeric>

namespace opencd {

namespace {

/// ln of the normal distribution function, also where that is too small for a double.
double log_normal_cdf(double y) {
  constexpr double kFar = -30.0;
  if (y > kFar) return std::log(0.5 * std::erfc(-y / std::numbers::sqrt2));
  const double inverse = 1.0 / (y * y);
  const double series = 1.0 - inverse * (1.0 - inverse * (3.0 - inverse * 15.0));
  return -0.5 * y * y - std::log(-y * std::sqrt(2.0 * std::numbers::pi)) + std::log(series);
}

}  // namespace

double anderson_darling(std::span<const double> sorted) {
  const std::size_t count = sorted.size();
  if (count < 2 || sorted.front() == sorted.back()) return 0.0;
  const auto n = static_cast<double>(count);
  const double mean = std::accumulate(sorted.begin(), sorted.end(), 0.0) / n;
  double squares = 0.0;
  for (const double x : sorted) squares += (x - mean) * (x - mean);
  const double deviation = std::sqrt(squares / (n - 1.0));
  double sum = 0.0;
  for (std::size_t i = 0; i < count; ++i) {
    const double low = (sorted[i] - mean) / deviation;
    const double high = (sorted[count - 1 - i] - mean) / deviation;
    const double weight = 2.0 * static_cast<double>(i) + 1.0;
    sum += weight / n * (log_normal_cdf(low) + log_normal_cdf(-high));
  }
  return -n - sum;
}

double anderson_darling_p_value(double statistic, std::size_t count) {
  const auto n = static_cast<double>(count);
  const double a = statistic * (1.0 + 0.75 / n + 2.25 / (n * n));
  if (a >= 13.0) return 0.0;  // the parabola turns beyond
  if (a >= 0.6) return std::exp(1.2937 - 5.709 * a + 0.0186 * a * a);
  if (a >= 0.34) return std::exp(0.9177 - 4.279 * a - 1.38 * a * a);
  if (a >= 0.2) return 1.0 - std::exp(-8.318 + 42.796 * a - 59.938 * a * a);
  return 1.0 - std::exp(-13.436 + 101.14 * a - 223.73 * a * a);
}

}  // namespace opencd
