// From counts of co-occurrence to the affinity of prototypes: two prototypes are alike when the
// same rows have both among their nearest.
#pragma once

#include "opencd/affinity_matrix.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace opencd {

/// With n_k rows near prototype k and n_ij near both i and j:
enum class SharedRows {
  overlap,  // n_ij / min(n_i, n_j), as OpenNCD's code has it
  jaccard,  // n_ij / (n_i + n_j - n_ij), as the paper has it
};

/// W = share * A + (1 - share) * (1 + cosine) / 2.
struct AffinityMix {
  SharedRows measure = SharedRows::overlap;
  double share = 1.0;  // of A, the affinity by shared rows
};

/// A of two prototypes that share no row is 0, and so is A[i][i]. `counts` is prototypes x
/// prototypes, n_k on the diagonal and n_ij above it (kernels/co_occurrence.hpp); what is below is
/// not read. `cosines` between prototypes may be empty if the share is 1; only what is on or above
/// its diagonal is read.
AffinityMatrix co_occurrence_affinity(std::span<const std::uint32_t> counts,
                                      std::span<const float> cosines,
                                      std::size_t prototypes,
                                      const AffinityMix& mix);

}  // namespace opencd
