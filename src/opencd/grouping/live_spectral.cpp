#include "opencd/grouping/live_spectral.hpp"

#include "opencd/grouping/live_prototypes.hpp"

namespace opencd {

Grouping live_spectral(const AffinityMatrix& affinity,
                       std::span<const double> rows,
                       const SpectralOptions& options) {
  const std::vector<std::size_t> live = live_prototypes(rows);
  if (live.size() == rows.size() || live.size() < options.groups)
    return spectral(affinity, options);
  const Grouping of_live = spectral(affinity_between(affinity, live), options);
  return number_groups(joined_by_dead(of_live, live, affinity).group_of);
}

}  // namespace opencd
