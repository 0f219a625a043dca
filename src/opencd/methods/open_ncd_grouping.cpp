#include "opencd/methods/open_ncd_grouping.hpp"

#include "opencd/class_count.hpp"
#include "opencd/grouping/spectral.hpp"

#include <set>

namespace opencd {

namespace {

GroupingAlgorithm searched_algorithm(GroupingChoice choice) {
  switch (choice) {
    case GroupingChoice::threshold: return GroupingAlgorithm::threshold;
    case GroupingChoice::affinity_propagation: return GroupingAlgorithm::affinity_propagation;
    default: return GroupingAlgorithm::louvain;
  }
}

bool counts_by_hiding(const OpenNcdConfig& config, std::size_t classes) {
  const bool louvain_groups =
      config.grouping == GroupingChoice::automatic || config.grouping == GroupingChoice::louvain;
  return classes == 0 && louvain_groups && config.count_rule == CountRule::hidden_classes;
}

/// Groups that at least one row is nearest to: a group without rows is not a class.
std::size_t groups_with_rows(const Grouping& grouping, std::span<const std::int64_t> nearest) {
  std::set<std::int32_t> seen;
  for (std::size_t k = 0; k < nearest.size(); ++k)
    if (nearest[k] > 0) seen.insert(grouping.group_of[k]);
  return seen.size();
}

/// Louvain counts; with the number found, spectral clustering may tell classes apart that are alike.
/// Its groups are taken where labelled rows do not speak against them and each has rows.
void prefer_spectral(MatchedGroups& counted,
                     const PrototypeEvidence& evidence,
                     std::size_t classes,
                     std::uint32_t seed) {
  if (evidence.labelled.rows() == 0) return;
  auto matched = match_groups(spectral(evidence.affinity, {.groups = classes, .seed = seed}),
                              evidence.labelled);
  if (matched && matched->labelled.fraction() >= counted.labelled.fraction() &&
      groups_with_rows(matched->grouping, evidence.nearest) == classes)
    counted = std::move(*matched);
}

PrototypeGroupState finished(MatchedGroups matched,
                             const PrototypeEvidence& evidence,
                             std::size_t classes) {
  const std::size_t found = groups_with_rows(matched.grouping, evidence.nearest);
  const std::size_t count = classes != 0 ? classes : found;
  return {std::move(matched.grouping), {found, count, count}, matched.labelled.fraction()};
}

}  // namespace

PrototypeGroupState ungrouped(std::size_t prototypes) {
  return {single_groups(prototypes), {prototypes, prototypes, prototypes}, 0.0};
}

std::optional<PrototypeGroupState> group_prototypes(const OpenNcdConfig& config,
                                                    const PrototypeEvidence& evidence,
                                                    std::size_t classes,
                                                    std::uint32_t epoch,
                                                    std::uint32_t seed) {
  const bool spectral_groups = config.grouping == GroupingChoice::spectral ||
                               (config.grouping == GroupingChoice::automatic && classes != 0);
  if (spectral_groups && classes != 0) {
    auto matched = match_groups(spectral(evidence.affinity, {.groups = classes, .seed = seed}),
                                evidence.labelled);
    if (!matched) return std::nullopt;
    return finished(std::move(*matched), evidence, classes);
  }
  if (counts_by_hiding(config, classes)) {
    const ClassCount count =
        count_classes(evidence.affinity, evidence.labelled, evidence.nearest, {.seed = seed});
    auto matched = match_groups(count.grouping, evidence.labelled);
    if (!matched) return std::nullopt;
    if (config.grouping == GroupingChoice::automatic)
      prefer_spectral(*matched, evidence, count.found, seed);
    return PrototypeGroupState{std::move(matched->grouping),
                               {count.found, count.least, count.most},
                               matched->labelled.fraction()};
  }
  const GroupSearchOptions options{.algorithm = searched_algorithm(config.grouping),
                                   .range = config.range,
                                   .first_epoch = static_cast<int>(config.warm_epochs),
                                   .seed = seed,
                                   .louvain_stop = config.python_louvain
                                                       ? LouvainStop::python_louvain
                                                       : LouvainStop::modularity};
  auto found =
      search_groups(evidence.affinity, evidence.labelled, static_cast<int>(epoch), options);
  if (!found) return std::nullopt;
  return finished(std::move(found->matched), evidence, classes);
}

}  // namespace opencd
