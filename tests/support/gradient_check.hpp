// Gradients against central differences. In f32 a step near 1e-2 balances rounding and curvature.
// ReLU and max have kinks: where the differences of a whole and of half a step disagree, or those to
// the left and to the right, the coordinate says nothing and is left out; too many of those fail the
// check.
#pragma once

#include "support/random.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

namespace opencd::test {

struct GradientCheck {
  double step = 1e-2;
  double tolerance = 1e-2;   // of the largest entry of the gradient
  std::size_t samples = 24;  // coordinates that are tried
};

/// Empty if `gradient` agrees with the differences of `loss` around `x`, else the worst coordinate.
inline std::string gradient_difference(std::vector<float> x,
                                       const std::vector<float>& gradient,
                                       const std::function<double(const std::vector<float>&)>& loss,
                                       GradientCheck check = {}) {
  if (x.size() != gradient.size())
    return fmt::format("{} gradients for {} values", gradient.size(), x.size());
  double scale = 0.0;
  for (const float g : gradient) scale = std::max(scale, std::abs(static_cast<double>(g)));
  const auto slope = [&](std::size_t i, double below, double above) {
    const float centre = x[i];
    const auto at = [&](double value) {
      x[i] = static_cast<float>(value);
      return loss(x);
    };
    const double high = centre + above;
    const double low = centre - below;
    const double rise = at(high) - at(low);
    x[i] = centre;
    return rise / (static_cast<double>(static_cast<float>(high)) -
                   static_cast<double>(static_cast<float>(low)));
  };
  Random random(99);
  std::size_t kinks = 0;
  for (std::size_t sample = 0; sample < check.samples; ++sample) {
    const std::size_t i = random.below(static_cast<std::uint32_t>(x.size()));
    const double whole = slope(i, check.step, check.step);
    const double allowed = check.tolerance * scale;
    if (std::abs(whole - gradient[i]) <= allowed) continue;
    const double half = slope(i, check.step / 2.0, check.step / 2.0);
    const double left = slope(i, check.step, 0.0), right = slope(i, 0.0, check.step);
    if (std::abs(whole - half) > allowed || std::abs(right - left) > allowed) {
      ++kinks;
      continue;
    }
    return fmt::format("at {} the gradient is {}, the difference {} (largest gradient {})", i,
                       gradient[i], whole, scale);
  }
  if (kinks * 4 > check.samples) return fmt::format("{} of {} at kinks", kinks, check.samples);
  return "";
}

}  // namespace opencd::test
