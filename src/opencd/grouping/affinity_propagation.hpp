// Affinity propagation (Frey and Dueck, Science 2007): prototypes exchange messages until some of
// them emerge as exemplars, and each group gathers around one. As scikit-learn does it.
#pragma once

#include "opencd/affinity_matrix.hpp"
#include "opencd/grouping/grouping.hpp"

#include <cstdint>
#include <optional>

namespace opencd {

struct AffinityPropagationOptions {
  double damping = 0.5;              // share of the old message that is kept, 0.5 to below 1
  std::optional<double> preference;  // to be an exemplar; the median of all entries if not given
  int iterations = 200;              // at most
  int stable = 15;                   // ends when the exemplars stayed the same for so many
  std::uint32_t seed = 0;            // of the noise, near rounding, that parts equal prototypes
};

struct PropagatedGroups {
  Grouping grouping;
  bool converged = false;  // no: the exemplars still changed in the last iterations
};

/// Nothing where no exemplar emerged.
std::optional<PropagatedGroups> affinity_propagation(const AffinityMatrix& affinity,
                                                     const AffinityPropagationOptions& options);

}  // namespace opencd
