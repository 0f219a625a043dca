// From the affinity of prototypes to groups that stand for classes: the decision that OpenNCD takes
// before an epoch.
#pragma once

#include "opencd/match_groups.hpp"
#include "opencd/methods/open_ncd_config.hpp"
#include "opencd/prediction.hpp"

#include <optional>
#include <span>

namespace opencd {

/// Groups of prototypes as they stand; the first ones are the known classes, once they are matched.
struct PrototypeGroupState {
  Grouping grouping;
  GroupCount count;
  double labelled_accuracy = 0.0;  // share of the labelled rows in the group of their class
};

/// What the rows of the training set say about the prototypes.
struct PrototypeEvidence {
  const AffinityMatrix& affinity;
  const Contingency& labelled;            // labelled rows by nearest prototype and known class
  std::span<const std::int64_t> nearest;  // rows by nearest prototype
};

/// Every prototype a group of its own.
PrototypeGroupState ungrouped(std::size_t prototypes);

/// The groups to go on with; nothing if no candidate has a group for every known class, and the
/// caller keeps those it has. `classes`: their number, 0 if it is unknown.
std::optional<PrototypeGroupState> group_prototypes(const OpenNcdConfig& config,
                                                    const PrototypeEvidence& evidence,
                                                    std::size_t classes,
                                                    std::uint32_t epoch,
                                                    std::uint32_t seed);

}  // namespace opencd
