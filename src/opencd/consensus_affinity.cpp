#include "opencd/consensus_affinity.hpp"

#include "error.hpp"
#include "opencd/grouping/live_spectral.hpp"

#include <algorithm>
#include <vector>

namespace opencd {

namespace {

/// Of the rows of every prototype of `own`, the share that is in each group of another set: a
/// prototype a row.
std::vector<double> group_shares(const PrototypeEvidence& own,
                                 const PrototypeEvidence& other,
                                 const Grouping& groups) {
  std::vector<std::int32_t> group_of_row;
  group_of_row.reserve(other.nearest.size());
  for (const std::int32_t prototype : other.nearest)
    group_of_row.push_back(groups.group_of[static_cast<std::size_t>(prototype)]);
  const Contingency rows =
      count_contingency(own.nearest, group_of_row, own.prototypes(), groups.groups);
  const std::vector<std::int64_t> of_prototypes = rows.rows_of_groups();
  std::vector<double> shares;
  shares.reserve(rows.counts.size());
  for (std::size_t k = 0; k < own.prototypes(); ++k)
    for (std::size_t g = 0; g < groups.groups; ++g)
      shares.push_back(static_cast<double>(rows.at(k, g)) /
                       static_cast<double>(std::max<std::int64_t>(1, of_prototypes[k])));
  return shares;
}

}  // namespace

AffinityMatrix consensus_affinity(std::span<const PrototypeEvidence> sets,
                                  const SpectralOptions& options) {
  if (sets.empty()) fail<UsageError>("[consensus] expected at least one set of prototypes");
  const PrototypeEvidence& own = sets.front();
  const std::size_t size = own.prototypes();
  std::vector<double> chances(size * size, 0.0);
  for (const PrototypeEvidence& set : sets) {
    const Grouping groups = live_spectral(set.affinity, set.rows, options);
    const std::vector<double> shares = group_shares(own, set, groups);
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t j = 0; j < size; ++j)
        for (std::size_t g = 0; g < groups.groups; ++g)
          chances[i * size + j] += shares[i * groups.groups + g] * shares[j * groups.groups + g] /
                                   static_cast<double>(sets.size());
  }
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t j = 0; j < size; ++j)
      if (own.rows[i] == 0.0 || own.rows[j] == 0.0) chances[i * size + j] = own.affinity.at(i, j);
  return {std::span<const double>(chances), size};
}

}  // namespace opencd
