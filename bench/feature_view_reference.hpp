// A view of a feature in doubles, for tests and checks of the kernel.
#pragma once

#include "kernels/feature_views.hpp"
#include "philox.hpp"

#include <cmath>
#include <numbers>

namespace opencd::bench {

/// The entry of value `x` at `row` and `column`.
inline double reference_view(float x,
                             std::uint64_t row,
                             std::size_t column,
                             const kernels::FeatureViewConfig& config,
                             const kernels::FeatureViewKey& key) {
  const RandomStream stream{key.seed, RandomPurpose::feature_views, key.step, row};
  const RandomBits bits = stream.draw(2 * static_cast<std::uint32_t>(column / 2) + key.view);
  const bool dropped = to_unit_float(bits.word[column % 2]) < config.dropout;
  const double radius =
      std::sqrt(-2.0 * std::log(1.0 - static_cast<double>(to_unit_float(bits.word[2]))));
  const double angle = 2.0 * std::numbers::pi * to_unit_float(bits.word[3]);
  const double normal = radius * (column % 2 == 0 ? std::cos(angle) : std::sin(angle));
  return (dropped ? 0.0 : x / (1.0 - config.dropout)) + config.noise * normal;
}

}  // namespace opencd::bench
