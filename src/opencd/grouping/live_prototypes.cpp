#include "opencd/grouping/live_prototypes.hpp"

#include <algorithm>

namespace opencd {

namespace {

/// The group of live prototypes that a dead one with these affinities is most alike to.
std::int32_t most_alike(std::span<const double> affinities,
                        std::span<const std::size_t> live,
                        const Grouping& of_live) {
  std::vector<double> sums(of_live.groups, 0.0);
  for (std::size_t i = 0; i < live.size(); ++i)
    sums[static_cast<std::size_t>(of_live.group_of[i])] += affinities[live[i]];
  return static_cast<std::int32_t>(std::max_element(sums.begin(), sums.end()) - sums.begin());
}

}  // namespace

std::vector<std::size_t> live_prototypes(std::span<const double> rows) {
  std::vector<std::size_t> live;
  for (std::size_t k = 0; k < rows.size(); ++k)
    if (rows[k] > 0.0) live.push_back(k);
  return live;
}

AffinityMatrix affinity_between(const AffinityMatrix& affinity,
                                std::span<const std::size_t> prototypes) {
  std::vector<double> values;
  values.reserve(prototypes.size() * prototypes.size());
  for (const std::size_t i : prototypes)
    for (const std::size_t j : prototypes) values.push_back(affinity.at(i, j));
  return {std::span<const double>(values), prototypes.size()};
}

Grouping joined_by_dead(const Grouping& of_live,
                        std::span<const std::size_t> live,
                        const AffinityMatrix& affinity) {
  Grouping all{std::vector<std::int32_t>(affinity.size(), -1), of_live.groups};
  for (std::size_t i = 0; i < live.size(); ++i) all.group_of[live[i]] = of_live.group_of[i];
  for (std::size_t k = 0; k < all.group_of.size(); ++k)
    if (all.group_of[k] < 0) all.group_of[k] = most_alike(affinity.row(k), live, of_live);
  return all;
}

}  // namespace opencd
