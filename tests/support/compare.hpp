// Comparison of device results with references that were computed in double precision.
#pragma once

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

namespace opencd::test {

/// An entry is close if |actual - expected| <= atol + rtol * |expected|.
struct Tolerance {
  double rtol = 1e-5;
  double atol = 1e-6;
};

/// Empty if all entries are close, else the worst entry, both values and how many are off.
template <class Actual, class Expected>
std::string difference(const std::vector<Actual>& actual,
                       const std::vector<Expected>& expected,
                       Tolerance tolerance) {
  if (actual.size() != expected.size())
    return fmt::format("{} entries, expected {}", actual.size(), expected.size());
  std::size_t off = 0;
  std::size_t worst = 0;
  double worst_excess = 0.0;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    const double error =
        std::abs(static_cast<double>(actual[i]) - static_cast<double>(expected[i]));
    const double allowed =
        tolerance.atol + tolerance.rtol * std::abs(static_cast<double>(expected[i]));
    if (error <= allowed) continue;
    ++off;
    const double excess = std::isfinite(error) ? error / allowed : INFINITY;
    if (excess > worst_excess) {
      worst_excess = excess;
      worst = i;
    }
  }
  if (off == 0) return "";
  return fmt::format("{} of {} entries are off; worst at {}: {} instead of {}", off, actual.size(),
                     worst, actual[worst], expected[worst]);
}

/// Relative to the largest entry, since entries near zero have no digits of their own.
inline Tolerance within(const std::vector<float>& expected, double limit) {
  double largest = 0.0;
  for (const float value : expected) largest = std::max(largest, std::abs(double{value}));
  return {.rtol = limit, .atol = limit * largest};
}

}  // namespace opencd::test

/// Fails with the worst entry unless all entries of `actual` are close to those of `expected`.
#define CHECK_CLOSE(actual, expected, ...) \
  CHECK_EQ(::opencd::test::difference(actual, expected, {__VA_ARGS__}), "")
