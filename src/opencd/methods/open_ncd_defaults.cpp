#include "opencd/methods/open_ncd_defaults.hpp"

#include "opencd/methods/open_ncd_config.hpp"

#include <algorithm>
#include <cmath>

namespace opencd {

namespace {

constexpr std::size_t kFewKnown = 10;  // classes, up to which CIFAR-10's settings hold
constexpr std::size_t kMostPrototypes = 1000;
constexpr double kWarmShare = 5.0 / 150.0;       // of the epochs
constexpr double kGroupingShare = 70.0 / 150.0;  // until the groups stay

std::int64_t prototypes(const MethodTask& task) {
  const std::size_t by_known = task.known <= kFewKnown ? 50 : 10 * task.known;
  return static_cast<std::int64_t>(std::min(kMostPrototypes, std::max(by_known, 5 * task.classes)));
}

std::int64_t share_of(std::int64_t epochs, double share) {
  return std::llround(share * static_cast<double>(epochs));
}

std::int64_t warm_epochs(std::int64_t epochs) {
  const std::int64_t most = std::max<std::int64_t>(0, epochs - 1);
  return std::min(most, std::max<std::int64_t>(1, share_of(epochs, kWarmShare)));
}

/// The epoch from which the groups stay.
std::int64_t grouping_epochs(std::int64_t warm, std::int64_t epochs) {
  const std::int64_t wanted = std::max(warm + 2, share_of(epochs, kGroupingShare));
  return std::max(warm + 1, std::min(epochs, wanted));
}

SearchRange range_of(const OpenNcdConfig& config, bool few_known) {
  switch (config.searched()) {
    case GroupingAlgorithm::threshold:
      return {0.99, config.measure == SharedRows::jaccard ? 0.05 : 0.5};
    case GroupingAlgorithm::affinity_propagation: return {0.99, 0.5};
    default: return {12.0, few_known ? 2.0 : 6.0};
  }
}

/// Groupings of a run, the first of which tries one candidate.
std::int64_t search_steps(std::int64_t warm, std::int64_t grouping, std::int64_t epochs) {
  const std::int64_t behind_last = std::min(grouping, epochs + 1);
  return std::max<std::int64_t>(1, behind_last - warm - 1);
}

}  // namespace

Json open_ncd_defaults(const MethodTask& task, const Json& given) {
  const bool few_known = task.known <= kFewKnown;
  const SearchRange range = range_of(open_ncd_config(given), few_known);
  const std::int64_t warm = given.value("warm-epochs", warm_epochs(task.epochs));
  const std::int64_t grouping = given.value("grouping-epochs", grouping_epochs(warm, task.epochs));
  return {{"prototypes", prototypes(task)},
          {"kappa", few_known ? 3 : 10},
          {"affinity-share", few_known ? 1.0 : 0.9},
          {"warm-epochs", warm},
          {"grouping-epochs", grouping},
          {"search-first", range.first},
          {"search-last", range.last},
          {"search-steps", search_steps(warm, grouping, task.epochs)}};
}

Json open_ncd_plus_defaults(const MethodTask& task, const Json& given) {
  Json defaults = open_ncd_defaults(task, given);
  defaults.update(Json{{"python-louvain", false},
                       {"count-rule", "hidden-classes"},
                       {"drop-dead-prototypes", true},
                       {"grouping-sets", 9},
                       {"grouping-labels", true},
                       {"ce-while-grouping", true},
                       {"warm-head-only", true}});
  return defaults;
}

}  // namespace opencd
