#include "opencd/co_occurrence_affinity.hpp"

#include "error.hpp"

#include <algorithm>
#include <vector>

namespace opencd {

namespace {

void check(std::size_t counts, std::size_t cosines, std::size_t prototypes, double share) {
  const std::size_t entries = prototypes * prototypes;
  if (counts != entries)
    fail<ShapeError>("[co-occurrence] expected {} x {} counts, got {}", prototypes, prototypes,
                     counts);
  if (!(share >= 0.0 && share <= 1.0))
    fail<UsageError>("[co-occurrence] expected a share of 0 to 1 for the shared rows, got {}",
                     share);
  if (share < 1.0 && cosines != entries)
    fail<ShapeError>("[co-occurrence] expected {} x {} cosines for a share of {}, got {}",
                     prototypes, prototypes, share, cosines);
}

double likeness(SharedRows measure, std::uint32_t both, std::uint32_t left, std::uint32_t right) {
  if (both == 0) return 0.0;
  const double among = measure == SharedRows::overlap ? static_cast<double>(std::min(left, right))
                                                      : static_cast<double>(left) + right - both;
  return both / among;
}

}  // namespace

AffinityMatrix co_occurrence_affinity(std::span<const std::uint32_t> counts,
                                      std::span<const float> cosines,
                                      std::size_t prototypes,
                                      const AffinityMix& mix) {
  check(counts.size(), cosines.size(), prototypes, mix.share);
  std::vector<double> values(counts.size(), 0.0);
  for (std::size_t i = 0; i < prototypes; ++i)
    for (std::size_t j = i; j < prototypes; ++j) {
      const std::size_t at = i * prototypes + j;
      double value = 0.0;
      if (i != j)
        value = mix.share * likeness(mix.measure, counts[at], counts[i * prototypes + i],
                                     counts[j * prototypes + j]);
      if (mix.share < 1.0) value += (1.0 - mix.share) * 0.5 * (1.0 + cosines[at]);
      values[at] = values[j * prototypes + i] = value;
    }
  return {values, prototypes};
}

}  // namespace opencd
