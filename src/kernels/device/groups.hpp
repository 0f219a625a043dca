// Group aggregation, q = p M^T with M the 0/1 mask of groups over prototypes: the probability of a
// group is the sum over its prototypes. The mask is never formed. Prototypes are listed group by
// group in `members`; group g owns the entries starts[g] .. starts[g + 1]. Both assign.
//   forward   q[b][g] = sum of p[b][k] over the prototypes k of group g
//   backward  dp[b][k] = dq[b][group of k]
// One item an output element; sums run in the order of `members`, the same on every run.
#pragma once

#include "kernels/device/row_functions.hpp"

namespace opencd::kernels {

struct AggregateGroups {
  const float* p;
  const std::int32_t* members;
  const std::int32_t* starts;
  float* q;
  std::size_t count;  // rows x groups
  int prototypes;
  int groups;

  void operator()(sycl::nd_item<1> item) const {
    const std::size_t i = element_of(item);
    if (i < count) {
      const float* row = p + i / groups * prototypes;
      q[i] = sum_of_group(row, members, starts, static_cast<int>(i % groups));
    }
  }
};
OPENCD_KERNEL(AggregateGroups, 1)

struct AggregateGroupsBackward {
  const float* diff_q;
  const std::int32_t* group_of;
  float* diff_p;
  std::size_t count;  // rows x prototypes
  int prototypes;
  int groups;

  void operator()(sycl::nd_item<1> item) const {
    const std::size_t i = element_of(item);
    if (i < count) diff_p[i] = diff_q[i / prototypes * groups + group_of[i % prototypes]];
  }
};
OPENCD_KERNEL(AggregateGroupsBackward, 1)

}  // namespace opencd::kernels
