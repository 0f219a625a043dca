// Targets in which every group has its share of the batch, by a few rounds of Sinkhorn and Knopp on N
// rows of group probabilities q, and the cross-entropy of p against them, q = sum of p over a group:
//   T = q^s;  in every round  T_bg *= share_g / mean over rows of T_.g,  then each row by its sum
//   loss = -(1 / N) sum T_bg log(q_bg + eps)
//   dx_k = weight p_k (sum_g q_g r_g - r_(group of k)) / (N tau),  r_g = T_bg / (q_bg + eps)
// The cross-entropy adds to dx. Deterministic: fixed blocks, group reductions, no atomics.
#pragma once

#include "kernels/device/row_functions.hpp"
#include "kernels/prototype_loss_config.hpp"

namespace opencd::kernels {

struct SharpenGroups {
  const float* q;
  float* targets;
  std::size_t count;
  float sharpness;

  void operator()(sycl::nd_item<1> item) const {
    const std::size_t i = element_of(item);
    if (i < count) targets[i] = sycl::exp(sharpness * sycl::log(q[i]));
  }
};
OPENCD_KERNEL(SharpenGroups, 1)

/// One work-group a row. A group that no row has anything of stays empty.
struct BalanceRows {
  const float* mean;  // of the columns of `targets`
  const float* shares;
  float* targets;
  int groups;

  void operator()(sycl::nd_item<1> item) const {
    float* row = targets + row_of(item) * groups;
    float sum = 0.0f;
    for_each_column(item, groups, [&](int g) {
      row[g] *= shares[g] / at_least(mean[g], kLeastSimilarity);
      sum += row[g];
    });
    sum = sum_over_group(item, sum);
    for_each_column(item, groups, [&](int g) { row[g] /= sum; });
  }
};
OPENCD_KERNEL(BalanceRows, 1)

/// One work-group a row.
struct TargetCrossEntropyRows {
  const float* p;
  const float* q;
  const float* targets;
  const std::int32_t* group_of;
  float* diff;
  float* losses;  // of rows, as parts of the mean
  int prototypes;
  int groups;
  float share;  // weight / (N tau)
  float inv_rows;

  void operator()(sycl::nd_item<1> item) const {
    const std::size_t row = row_of(item);
    const float* t = targets + row * groups;
    const float* own_q = q + row * groups;
    const float* own_p = p + row * prototypes;
    float* dx = diff + row * prototypes;
    float loss = 0.0f, inner = 0.0f;
    for_each_column(item, groups, [&](int g) {
      const float value = own_q[g] + kGroupEpsilon;
      loss -= t[g] * sycl::log(value);
      inner += own_q[g] * t[g] / value;
    });
    loss = sum_over_group(item, loss);
    inner = sum_over_group(item, inner);
    for_each_column(item, prototypes, [&](int k) {
      const int g = group_of[k];
      dx[k] += share * own_p[k] * (inner - t[g] / (own_q[g] + kGroupEpsilon));
    });
    if (item.get_local_id(0) == 0) losses[row] = loss * inv_rows;
  }
};
OPENCD_KERNEL(TargetCrossEntropyRows, 1)

}  // namespace opencd::kernels
