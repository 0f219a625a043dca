// NT-Xent and SupCon in double precision: what kernels are compared with.
#pragma once

#include "bench/reference.hpp"

namespace opencd::bench {

struct ContrastiveValues {
  double loss = 0.0;
  std::vector<double> diff;  // with respect to the cosines
};

/// Over 2B x 2B cosines; a picture with a negative class takes no part. NT-Xent is the case of
/// classes 0 .. B - 1.
inline ContrastiveValues reference_contrastive(const std::vector<float>& cosines,
                                               const std::vector<std::int32_t>& classes,
                                               double temperature) {
  const std::size_t pictures = classes.size();
  const std::size_t n = 2 * pictures;
  const auto class_of = [&](std::size_t row) { return classes[row % pictures]; };
  std::vector<std::size_t> present;
  for (std::size_t r = 0; r < n; ++r)
    if (class_of(r) >= 0) present.push_back(r);
  ContrastiveValues result{.diff = std::vector<double>(n * n, 0.0)};
  const double share = 1.0 / std::max(1.0, static_cast<double>(present.size()));
  for (const std::size_t r : present) {
    double total = 0.0;
    double positives = 0.0;
    for (const std::size_t c : present) {
      if (c == r) continue;
      total += std::exp(cosines[r * n + c] / temperature);
      positives += class_of(c) == class_of(r) ? 1.0 : 0.0;
    }
    for (const std::size_t c : present) {
      if (c == r) continue;
      const double logit = cosines[r * n + c] / temperature;
      const double target = class_of(c) == class_of(r) ? 1.0 / positives : 0.0;
      result.loss -= share * target * (logit - std::log(total));
      result.diff[r * n + c] = share / temperature * (std::exp(logit) / total - target);
    }
  }
  return result;
}

}  // namespace opencd::bench
