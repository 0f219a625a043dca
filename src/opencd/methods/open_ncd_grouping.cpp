#include "opencd/methods/open_ncd_grouping.hpp"

#include "opencd/class_count.hpp"
#include "opencd/class_sizes.hpp"
#include "opencd/consensus_affinity.hpp"
#include "opencd/grouping/live_prototypes.hpp"
#include "opencd/grouping/live_spectral.hpp"
#include "opencd/label_agreement.hpp"

#include <algorithm>

namespace opencd {

namespace {

/// Spectral groups of a number, of the live prototypes alone if the dead are to be dropped.
Grouping spectral_groups_of(const OpenNcdConfig& config,
                            const AffinityMatrix& affinity,
                            std::span<const double> rows,
                            const SpectralOptions& options) {
  return config.drop_dead ? live_spectral(affinity, rows, options) : spectral(affinity, options);
}

/// With the number found, spectral clustering may tell classes apart that Louvain does not. Louvain's
/// groups are taken if they are as many and place more labelled rows, or if there are none of those.
std::optional<MatchedGroups> groups_of_count(const OpenNcdConfig& config,
                                             const ClassCount& count,
                                             const PrototypeEvidence& evidence,
                                             std::uint32_t seed) {
  auto by_louvain = match_groups(count.grouping, evidence.labelled);
  const bool as_many = by_louvain && count.own == count.found;
  if (config.grouping == GroupingChoice::louvain || (as_many && evidence.labelled.rows() == 0))
    return by_louvain;
  auto by_spectral = match_groups(spectral_groups_of(config, evidence.affinity, evidence.rows,
                                                     {.groups = count.found, .seed = seed}),
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
  return spectral_groups_of(config,
                            heard.size() > 1 ? consensus_affinity(heard, options) : own.affinity,
                            own.rows, options);
}

/// The search's groups, of the live prototypes alone if the dead are to be dropped.
std::optional<MatchedGroups> searched_groups(const OpenNcdConfig& config,
                                             const PrototypeEvidence& evidence,
                                             int epoch,
                                             const GroupSearchOptions& options) {
  const std::vector<std::size_t> live = live_prototypes(evidence.rows);
  const bool all = !config.drop_dead || live.size() == evidence.prototypes();
  auto found = all ? search_groups(evidence.affinity, evidence.labelled, epoch, options)
                   : search_groups(affinity_between(evidence.affinity, live),
                                   restrict_groups(evidence.labelled, live), epoch, options);
  if (!found) return std::nullopt;
  if (!all)
    found->matched.grouping = joined_by_dead(found->matched.grouping, live, evidence.affinity);
  return std::move(found->matched);
}

/// Where the dead make groups of their own, these count too, as in the authors' program.
PrototypeGroupState finished(const OpenNcdConfig& config,
                             MatchedGroups matched,
                             const PrototypeEvidence& evidence,
                             std::size_t classes) {
  const std::size_t found = config.drop_dead ? groups_with_rows(matched.grouping, evidence.rows)
                                             : matched.grouping.groups;
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
    return finished(config, std::move(*matched), evidence, classes);
  }
  if (counts_by_hiding(config, classes)) {
    const ClassCount count = count_classes(sets, {.seed = seed});
    auto matched = groups_of_count(config, count, evidence, seed);
    if (!matched) return std::nullopt;
    const std::size_t found = groups_with_rows(matched->grouping, evidence.rows);
    return PrototypeGroupState{std::move(matched->grouping),
                               {found, std::min(count.least, found), std::max(count.most, found)},
                               matched->labelled.fraction()};
  }
  auto matched =
      searched_groups(config, evidence, static_cast<int>(epoch),
                      {.algorithm = config.searched(),
                       .range = config.range,
                       .classes = classes,
                       .first_epoch = static_cast<int>(config.warm_epochs),
                       .seed = seed,
                       .louvain_stop = config.python_louvain ? LouvainStop::python_louvain
                                                             : LouvainStop::modularity});
  if (!matched) return std::nullopt;
  return finished(config, std::move(*matched), evidence, classes);
}

}  // namespace opencd
