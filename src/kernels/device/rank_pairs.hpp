// The pair loss of RankStats over the unlabelled rows of a batch, n of them. Rows i and j are a pair
// of one class if the columns of their largest features are the same set, whatever its order.
// P_ij = <p_i, p'_j> is the probability that they are classified alike.
//   loss  = (1 / n^2) sum_ij  -log(P_ij + eps)  if i and j are alike,  else  -log(1 - P_ij + eps)
//   dP_ij = -1 / (n^2 (P_ij + eps))             or   1 / (n^2 (1 - P_ij + eps))
// Assigns dP, which may be P; it is 0 where a row is labelled. Deterministic: no atomics.
#pragma once

#include "kernels/device/row_functions.hpp"

namespace opencd::kernels {

/// What the logarithms add.
inline constexpr float kPairEpsilon = 1e-7f;

/// One work-group a row.
struct RankPairs {
  const float* products;     // P
  const std::int32_t* tops;  // rows x k
  const std::int32_t* labels;
  float* diff;
  float* losses;  // of rows, as parts of the mean
  int rows;
  int k;

  bool alike(int i, int j) const {
    bool all = true;
    for (int a = 0; a < k; ++a) {
      bool found = false;
      for (int b = 0; b < k; ++b) found = found || tops[i * k + a] == tops[j * k + b];
      all = all && found;
    }
    return all;
  }

  void operator()(sycl::nd_item<1> item) const {
    const auto i = static_cast<int>(row_of(item));
    const float* p = products + row_of(item) * rows;
    float* dp = diff + row_of(item) * rows;
    int unlabelled = 0;
    for_each_column(item, rows, [&](int j) { unlabelled += labels[j] < 0 ? 1 : 0; });
    const auto n = static_cast<float>(sum_over_group(item, unlabelled));
    const float share = labels[i] < 0 ? 1.0f / (n * n) : 0.0f;
    float sum = 0.0f;
    for_each_column(item, rows, [&](int j) {
      const float part = labels[j] < 0 ? share : 0.0f;
      const bool same = alike(i, j);
      // Rounding may bring the sum of a row's products just above 1.
      const float x = (same ? p[j] : at_least(1.0f - p[j], 0.0f)) + kPairEpsilon;
      sum -= part * sycl::log(x);
      dp[j] = (same ? -part : part) / x;
    });
    sum = sum_over_group(item, sum);
    if (item.get_local_id(0) == 0) losses[i] = sum;
  }
};
OPENCD_KERNEL(RankPairs, 1)

}  // namespace opencd::kernels
