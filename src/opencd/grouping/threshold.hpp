// Groups as the paper describes them: prototypes are linked where their affinity exceeds delta, and
// the connected components of the links are the groups.
#pragma once

#include "opencd/affinity_matrix.hpp"
#include "opencd/grouping/grouping.hpp"

namespace opencd {

Grouping threshold_components(const AffinityMatrix& affinity, double delta);

}  // namespace opencd
