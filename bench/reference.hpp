// Host references of the cases: random inputs and the comparison of device results with doubles.
#pragma once

#include "philox.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <vector>

namespace opencd::bench {

/// Numbers between -1 and 1 that depend on `stream` alone.
inline std::vector<float> random_values(std::size_t count, std::uint32_t stream) {
  std::vector<float> values(count);
  const RandomStream random{stream, RandomPurpose::test, 0, 0};
  for (std::size_t i = 0; i < count; i += 4) {
    const RandomBits bits = random.draw(static_cast<std::uint32_t>(i / 4));
    for (std::size_t j = i; j < std::min(i + 4, count); ++j)
      values[j] = 2.0f * to_unit_float(bits.word[j - i]) - 1.0f;
  }
  return values;
}

/// Empty if |actual[i] - expected(i)| <= tolerance (1 + |expected(i)|) for all i, else the first
/// entry that is off.
template <class Expected>
std::string compare(const std::vector<float>& actual,
                    const Expected& expected,
                    double tolerance = 1e-5) {
  for (std::size_t i = 0; i < actual.size(); ++i) {
    const double wanted = expected(i);
    if (!(std::abs(actual[i] - wanted) <= tolerance * (1.0 + std::abs(wanted))))
      return fmt::format("entry {} is {} instead of {}", i, actual[i], wanted);
  }
  return "";
}

}  // namespace opencd::bench
