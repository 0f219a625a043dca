// From the affinity of prototypes to groups that stand for classes: the decision that OpenNCD takes
// before an epoch.
#pragma once

#include "opencd/match_groups.hpp"
#include "opencd/methods/open_ncd_config.hpp"
#include "opencd/prediction.hpp"
#include "opencd/prototype_evidence.hpp"

#include <optional>
#include <span>

namespace opencd {

/// Groups of prototypes as they stand; the first ones are the known classes, once they are matched.
struct PrototypeGroupState {
  Grouping grouping;
  GroupCount count;
  double labelled_accuracy = 0.0;  // share of the labelled rows in the group of their class
};

/// Every prototype a group of its own.
PrototypeGroupState ungrouped(std::size_t prototypes);

/// Whether the number of classes will be asked of several sets of prototypes.
bool counts_by_hiding(const OpenNcdConfig& config, std::size_t classes);
/// Whether `classes` groups will be made by spectral clustering.
bool groups_spectrally(const OpenNcdConfig& config, std::size_t classes);

/// The number of classes that several sets of prototypes tell.
GroupCount count_groups(std::span<const PrototypeEvidence> sets, std::uint32_t seed);

/// The groups to go on with; nothing if no candidate has a group for every known class, and the
/// caller keeps those it has. The first of `sets` is the method's own; others matter where
/// classes are counted by hiding some and for spectral groups. `classes`: their number, 0 if it is unknown.
std::optional<PrototypeGroupState> group_prototypes(const OpenNcdConfig& config,
                                                    std::span<const PrototypeEvidence> sets,
                                                    std::size_t classes,
                                                    std::uint32_t epoch,
                                                    std::uint32_t seed);

}  // namespace opencd
