// What several sets of prototypes say together about one of them. Each set is cut into as many groups as there
// are classes, and
//
//   W[i][j] = chance that a row of prototype i and a row of prototype j are in one group,
//
// the mean over the sets. One set may by chance have no cut between two classes, or one more through a third;
// most sets do not, and their groups on W depend far less on the seed.
#pragma once

#include "opencd/grouping/spectral.hpp"
#include "opencd/prototype_evidence.hpp"

#include <span>

namespace opencd {

/// The affinity of the first of `sets`, which all look at the same rows. A prototype that no row is
/// nearest to keeps the affinities that it has in its own set. UsageError if there is no set, ShapeError
/// if they look at different numbers of rows.
AffinityMatrix consensus_affinity(std::span<const PrototypeEvidence> sets,
                                  const SpectralOptions& options);

}  // namespace opencd
