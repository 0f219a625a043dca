// Functions of one row that kernels of several families share.
#pragma once

#include "kernels/device/row_loop.hpp"

namespace opencd::kernels {

/// NaN stays NaN, unlike with fmax.
inline float at_least(float value, float least) { return value < least ? least : value; }

/// The sum over the prototypes of group g; they are the entries starts[g] .. starts[g + 1] of
/// `members`.
inline float sum_of_group(const float* p,
                          const std::int32_t* members,
                          const std::int32_t* starts,
                          int g) {
  float sum = 0.0f;
  for (int at = starts[g]; at < starts[g + 1]; ++at) sum += p[members[at]];
  return sum;
}

/// The gradient of x from that of p = softmax(x / tau): dx = p (dp - <p, dp>) / tau. dx may be dp.
/// Every item of the group must call it.
inline void softmax_backward(const sycl::nd_item<1>& item,
                             const float* p,
                             const float* dp,
                             float* dx,
                             int columns,
                             float inv_temperature) {
  float inner = 0.0f;
  for_each_column(item, columns, [&](int c) { inner += p[c] * dp[c]; });
  inner = sum_over_group(item, inner);
  for_each_column(item, columns, [&](int c) { dx[c] = p[c] * (dp[c] - inner) * inv_temperature; });
}

}  // namespace opencd::kernels
