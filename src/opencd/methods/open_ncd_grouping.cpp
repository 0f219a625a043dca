#include "opencd/methods/open_ncd_grouping.hpp"

#include "opencd/class_count.hpp"
#include "opencd/class_sizes.hpp"
#include "opencd/consensus_affinity.hpp"
#include "opencd/grouping/live_spectral.hpp"
#include "opencd/label_agreement.hpp"

#include <algorithm>

namespace opencd {

namespace {

GroupingAlgorithm searched_algorithm(GroupingChoice choice) {
  switch (choice) {
    case GroupingChoice::threshold: return GroupingAlgorithm::threshold;
    case GroupingChoice::affinity_propagation: return GroupingAlgorithm::affinity_propagation;
    default: return GroupingAlgorithm::louvain;
  }
}

/// With the number found, spectral clustering may tell classes apart that Louvain does not. Louvain's
/// groups are taken if they are as many and place more labelled rows, or if there are none of those.
std::optional<MatchedGroups> groups_of_count(const ClassCount& count,
                                             const PrototypeEvidence& evidence,
                                             GroupingChoice choice,
                                             std::uint32_t seed) {
  auto by_louvain = match_groups(count.grouping, evidence.labelled);
  const bool as_many = by_louvain && count.own == count.found;
  if (choice == GroupingChoice::louvain || (as_many && evidence.labelled.rows() == 0))
    return by_louvain;
  auto by_spectral = match_groups(
      live_spectral(evidence.affinity, evidence.rows, {.groups = count.found, .seed = seed}),
      evidence.labelled);
  if (!by_spectral) return by_louvain;
  const bool louvain_places_more =
      as_many && by_louvain->labelled.fraction() > by_spectral->labelled.fraction();
  return louvain_places_more ? by_louvain : by_spectral;
}

/// Those of the first of `sets`, on which the others are heard too.
Grouping spectral_groups(const OpenNcdConfig& config,
                         std::span<const PrototypeEvidence> sets,
                         const SpectralOptions& options) {
  std::vector<PrototypeEvidence> heard(sets.begin(), sets.end());
  if (config.grouping_labels) {
    const double rate = labelled_rate(sets);
    for (PrototypeEvidence& set : heard) set.affinity = affinity_by_labels(set, rate);
  }
  const PrototypeEvidence& own = heard.front();
  return live_spectral(heard.size() > 1 ? consensus_affinity(heard, options) : own.affinity,
                       own.rows, options);
}

PrototypeGroupState finished(MatchedGroups matched,
                             const PrototypeEvidence& evidence,
                             std::size_t classes) {
  const std::size_t found = groups_with_rows(matched.grouping, evidence.rows);
  const std::size_t count = classes != 0 ? classes : found;
  return {std::move(matched.grouping), {found, count, count}, matched.labelled.fraction()};
}

}  // namespace

bool counts_by_hiding(const OpenNcdConfig& config, std::size_t classes) {
  const bool louvain_groups =
      config.grouping == GroupingChoice::automatic || config.grouping == GroupingChoice::louvain;
  return classes == 0 && louvain_groups && config.count_rule == CountRule::hidden_classes;
}

bool groups_spectrally(const OpenNcdConfig& config, std::size_t classes) {
  return classes != 0 && (config.grouping == GroupingChoice::spectral ||
                          config.grouping == GroupingChoice::automatic);
}

PrototypeGroupState ungrouped(std::size_t prototypes) {
  return {single_groups(prototypes), {prototypes, prototypes, prototypes}, 0.0};
}

GroupCount count_groups(std::span<const PrototypeEvidence> sets, std::uint32_t seed) {
  const ClassCount count = count_classes(sets, {.seed = seed});
  return {count.found, count.least, count.most};
}

std::optional<PrototypeGroupState> group_prototypes(const OpenNcdConfig& config,
                                                    std::span<const PrototypeEvidence> sets,
                                                    std::size_t classes,
                                                    std::uint32_t epoch,
                                                    std::uint32_t seed) {
  const PrototypeEvidence& evidence = sets.front();
  if (groups_spectrally(config, classes)) {
    auto matched = match_groups(spectral_groups(config, sets, {.groups = classes, .seed = seed}),
                                evidence.labelled);
    if (!matched) return std::nullopt;
    return finished(std::move(*matched), evidence, classes);
  }
  if (counts_by_hiding(config, classes)) {
    const ClassCount count = count_classes(sets, {.seed = seed});
    auto matched = groups_of_count(count, evidence, config.grouping, seed);
    if (!matched) return std::nullopt;
    const std::size_t found = groups_with_rows(matched->grouping, evidence.rows);
    return PrototypeGroupState{std::move(matched->grouping),
                               {found, std::min(count.least, found), std::max(count.most, found)},
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
