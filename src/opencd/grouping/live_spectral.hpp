// Spectral clustering of the prototypes that rows are nearest to. A prototype that no row is nearest to
// says nothing about classes, and a group of such prototypes is none.
#pragma once

#include "opencd/grouping/spectral.hpp"

#include <span>

namespace opencd {

/// rows[k] are nearest to prototype k. Those without rows join the group that they are most alike to, in
/// sum. Where fewer prototypes than groups have rows, all take part.
Grouping live_spectral(const AffinityMatrix& affinity,
                       std::span<const double> rows,
                       const SpectralOptions& options);

}  // namespace opencd
