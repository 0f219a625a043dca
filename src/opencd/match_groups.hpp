// Groups matched to known classes by the labelled rows, so that from then on group y is class y.
#pragma once

#include "opencd/contingency.hpp"
#include "opencd/grouping/grouping.hpp"
#include "opencd/metrics.hpp"

#include <optional>

namespace opencd {

/// `labelled` counts rows by nearest prototype and class; the result by group and class.
Contingency count_by_group(const Grouping& grouping, const Contingency& labelled);

struct MatchedGroups {
  /// Group y below the number of known classes is matched to class y; the unmatched groups follow
  /// in the order they had.
  Grouping grouping;
  /// Labelled rows whose nearest prototype is in the group of their class.
  Accuracy labelled;
};

/// `labelled` counts labelled rows by nearest prototype and known class. The matching is the one
/// with the most labelled rows correct; groups that no labelled row is nearest to take part in it
/// as any other. Nothing if there are fewer groups than known classes: some class would have no
/// group.
std::optional<MatchedGroups> match_groups(const Grouping& grouping, const Contingency& labelled);

}  // namespace opencd
