#include "opencd/grouping/live_spectral.hpp"

#include <algorithm>

namespace opencd {

namespace {

AffinityMatrix between(const AffinityMatrix& affinity, const std::vector<std::size_t>& prototypes) {
  std::vector<double> values;
  values.reserve(prototypes.size() * prototypes.size());
  for (const std::size_t i : prototypes)
    for (const std::size_t j : prototypes) values.push_back(affinity.at(i, j));
  return {std::span<const double>(values), prototypes.size()};
}

/// The group of `live` prototypes that prototype `k` is most alike to.
std::int32_t most_alike(std::span<const double> affinities,
                        const std::vector<std::size_t>& live,
                        const Grouping& groups) {
  std::vector<double> sums(groups.groups, 0.0);
  for (std::size_t i = 0; i < live.size(); ++i)
    sums[static_cast<std::size_t>(groups.group_of[i])] += affinities[live[i]];
  return static_cast<std::int32_t>(std::max_element(sums.begin(), sums.end()) - sums.begin());
}

}  // namespace

Grouping live_spectral(const AffinityMatrix& affinity,
                       std::span<const double> rows,
                       const SpectralOptions& options) {
  std::vector<std::size_t> live;
  for (std::size_t k = 0; k < rows.size(); ++k)
    if (rows[k] > 0.0) live.push_back(k);
  if (live.size() == rows.size() || live.size() < options.groups)
    return spectral(affinity, options);

  const Grouping groups = spectral(between(affinity, live), options);
  std::vector<std::int32_t> group_of(rows.size());
  for (std::size_t i = 0; i < live.size(); ++i) group_of[live[i]] = groups.group_of[i];
  for (std::size_t k = 0; k < rows.size(); ++k)
    if (!(rows[k] > 0.0)) group_of[k] = most_alike(affinity.row(k), live, groups);
  return number_groups(group_of);
}

}  // namespace opencd
