#include "opencd/group_search.hpp"

#include "error.hpp"
#include "opencd/grouping/affinity_propagation.hpp"
#include "opencd/grouping/threshold.hpp"
#include "opencd/longest_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace opencd {

namespace {

/// What the parameter of an algorithm is called, and between which values it makes sense.
struct ParameterMeaning {
  const char* name;
  double least;
  bool least_counts;
  double below;  // this

  bool allows(double value) const {
    return (least_counts ? value >= least : value > least) && value < below;
  }
  std::string values() const {
    const std::string from = fmt::format("{} {}", least_counts ? "from" : "above", least);
    return std::isfinite(below) ? fmt::format("{} to below {}", from, below) : from;
  }
};

ParameterMeaning meaning_of(GroupingAlgorithm algorithm) {
  switch (algorithm) {
    case GroupingAlgorithm::threshold: return {"thresholds of the affinity", 0.0, false, 1.0};
    case GroupingAlgorithm::affinity_propagation: return {"dampings", 0.5, true, 1.0};
    default: return {"resolutions", 0.0, false, INFINITY};
  }
}

void check(int epoch, const GroupSearchOptions& options) {
  check_range(options.algorithm, options.range);
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

std::size_t distance(std::size_t a, std::size_t b) { return a < b ? b - a : a - b; }

/// The number of groups, if it is one that counts.
std::optional<std::size_t> number_of_groups(const GroupCandidate& candidate) {
  const Grouping& grouping = candidate.grouping;
  if (grouping.groups > 1 && grouping.groups < grouping.prototypes()) return grouping.groups;
  return std::nullopt;
}

}  // namespace

std::string_view name_of(GroupingAlgorithm algorithm) {
  switch (algorithm) {
    case GroupingAlgorithm::threshold: return "threshold";
    case GroupingAlgorithm::affinity_propagation: return "affinity-propagation";
    default: return "louvain";
  }
}

void check_range(GroupingAlgorithm algorithm, const SearchRange& range) {
  const ParameterMeaning meaning = meaning_of(algorithm);
  for (const double end : {range.first, range.last})
    if (!meaning.allows(end))
      fail<UsageError>(
          "[group search] {} searches {}: expected --search-first and --search-last {}, got {}",
          name_of(algorithm), meaning.name, meaning.values(), end);
  if (range.first < range.last)
    fail<UsageError>(
        "[group search] candidates run from many groups to few: expected --search-first no less "
        "than "
        "--search-last, got {} and {}",
        range.first, range.last);
  if (range.steps < 1)
    fail<UsageError>("[group search] expected --search-steps of 1 or more, got {}", range.steps);
}

double SearchRange::at(int candidate) const {
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

std::optional<FoundGroups> choose_by_number(std::span<const GroupCandidate> candidates,
                                            const Contingency& labelled,
                                            std::size_t classes) {
  std::optional<FoundGroups> best;
  for (const GroupCandidate& candidate : candidates) {
    auto matched = match_groups(candidate.grouping, labelled);
    if (!matched) continue;
    const auto worth = [&](const MatchedGroups& groups) {
      return std::pair(-static_cast<std::int64_t>(distance(groups.grouping.groups, classes)),
                       groups.labelled.correct);
    };
    if (best && worth(*matched) <= worth(best->matched)) continue;
    best = FoundGroups{candidate.index, candidate.parameter, *std::move(matched)};
  }
  return best;
}

std::optional<FoundGroups> search_groups(const AffinityMatrix& affinity,
                                         const Contingency& labelled,
                                         int epoch,
                                         const GroupSearchOptions& options) {
  const std::vector<GroupCandidate> candidates = open_candidates(affinity, epoch, options);
  if (options.classes != 0) return choose_by_number(candidates, labelled, options.classes);
  return labelled.rows() > 0 ? choose_by_labels(candidates, labelled)
                             : choose_by_stability(candidates, affinity);
}

}  // namespace opencd
