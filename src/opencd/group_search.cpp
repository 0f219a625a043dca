#include "opencd/group_search.hpp"

#include "error.hpp"
#include "opencd/grouping/affinity_propagation.hpp"
#include "opencd/grouping/threshold.hpp"
#include "opencd/longest_run.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace opencd {

namespace {

void check(int epoch, const GroupSearchOptions& options) {
  const ParameterRange& range = options.range;
  if (!(range.first > 0.0 && range.last > 0.0 && std::isfinite(range.first) &&
        std::isfinite(range.last)))
    fail<UsageError>("[group search] expected a range of parameters above 0, got {} to {}",
                     range.first, range.last);
  if (range.steps < 1)
    fail<UsageError>("[group search] expected at least one step, got {}", range.steps);
  if (epoch < options.first_epoch)
    fail<UsageError>("[group search] expected epoch {} or later, got {}", options.first_epoch,
                     epoch);
}

std::optional<Grouping> find_groups(const AffinityMatrix& affinity,
                                    double parameter,
                                    const GroupSearchOptions& options) {
  switch (options.algorithm) {
    case GroupingAlgorithm::louvain:
      return louvain(affinity,
                     {.resolution = parameter, .seed = options.seed, .stop = options.louvain_stop});
    case GroupingAlgorithm::threshold: return threshold_components(affinity, parameter);
    case GroupingAlgorithm::affinity_propagation: break;
  }
  auto found = affinity_propagation(affinity, {.damping = parameter, .seed = options.seed});
  if (!found) return std::nullopt;
  return std::move(found->grouping);
}

/// The number of groups, if it is one that counts.
std::optional<std::size_t> number_of_groups(const GroupCandidate& candidate) {
  const Grouping& grouping = candidate.grouping;
  if (grouping.groups > 1 && grouping.groups < grouping.prototypes()) return grouping.groups;
  return std::nullopt;
}

}  // namespace

double ParameterRange::at(int candidate) const {
  return first * std::pow(last / first, static_cast<double>(candidate) / steps);
}

std::vector<GroupCandidate> open_candidates(const AffinityMatrix& affinity,
                                            int epoch,
                                            const GroupSearchOptions& options) {
  check(epoch, options);
  std::vector<GroupCandidate> candidates;
  const int last = std::min(epoch - options.first_epoch, options.range.steps);
  for (int index = 0; index <= last; ++index) {
    const double parameter = options.range.at(index);
    if (auto grouping = find_groups(affinity, parameter, options))
      candidates.push_back({index, parameter, *std::move(grouping)});
  }
  return candidates;
}

std::optional<FoundGroups> choose_by_labels(std::span<const GroupCandidate> candidates,
                                            const Contingency& labelled) {
  std::optional<FoundGroups> best;
  for (const GroupCandidate& candidate : candidates) {
    auto matched = match_groups(candidate.grouping, labelled);
    if (!matched) continue;
    if (best && matched->labelled.correct <= best->matched.labelled.correct) continue;
    best = FoundGroups{candidate.index, candidate.parameter, *std::move(matched)};
  }
  return best;
}

std::optional<FoundGroups> choose_by_stability(std::span<const GroupCandidate> candidates,
                                               const AffinityMatrix& affinity) {
  std::optional<FoundGroups> best;
  double best_value = -INFINITY;
  for (const GroupCandidate& candidate : longest_run(candidates, number_of_groups)) {
    const double value = modularity(affinity, candidate.grouping);
    if (value <= best_value) continue;
    best_value = value;
    best = FoundGroups{candidate.index, candidate.parameter, {candidate.grouping, {}}};
  }
  return best;
}

std::optional<FoundGroups> search_groups(const AffinityMatrix& affinity,
                                         const Contingency& labelled,
                                         int epoch,
                                         const GroupSearchOptions& options) {
  const std::vector<GroupCandidate> candidates = open_candidates(affinity, epoch, options);
  return labelled.rows() > 0 ? choose_by_labels(candidates, labelled)
                             : choose_by_stability(candidates, affinity);
}

}  // namespace opencd
