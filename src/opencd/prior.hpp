// The multi-prototype prior that the regulariser pulls the mean prototype probabilities to: groups
// are equally likely, and so are the prototypes within a group.
#pragma once

#include "opencd/grouping/grouping.hpp"

#include <vector>

namespace opencd {

/// prior[k] = 1 / (groups |group of k|), which sums to 1.
std::vector<float> multi_prototype_prior(const Grouping& grouping);

}  // namespace opencd
