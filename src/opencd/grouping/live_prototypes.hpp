// Prototypes that rows are nearest to, and those that none is nearest to: the dead. A dead prototype says
// nothing about classes, and a group of such prototypes is none; so groups can be made of the live ones
// alone, which the dead then join. The paper and its authors' program keep them all.
#pragma once

#include "opencd/affinity_matrix.hpp"
#include "opencd/grouping/grouping.hpp"

#include <span>
#include <vector>

namespace opencd {

/// rows[k] are nearest to prototype k: those with any, in ascending order.
std::vector<std::size_t> live_prototypes(std::span<const double> rows);

/// The affinity of some prototypes among each other.
AffinityMatrix affinity_between(const AffinityMatrix& affinity,
                                std::span<const std::size_t> prototypes);

/// Groups of all prototypes from groups of the live ones: a dead one joins the group that it is most alike
/// to, in sum. Groups keep their numbers.
Grouping joined_by_dead(const Grouping& of_live,
                        std::span<const std::size_t> live,
                        const AffinityMatrix& affinity);

}  // namespace opencd
