// The mean squared difference of two views' probabilities, over N rows of C columns:
//   loss = sum (a - b)^2 / (N C)      da = 2 weight (a - b) / (N C),  db = -da
// Adds to da and db. Deterministic: fixed blocks, group reductions, no atomics.
#pragma once

#include "kernels/device/row_loop.hpp"

namespace opencd::kernels {

/// One work-group a row.
struct ConsistencyRows {
  const float* a;
  const float* b;
  float* diff_a;
  float* diff_b;
  float* losses;  // of rows, as parts of the mean
  int columns;
  float inv_entries;  // 1 / (N C)
  float weight;

  void operator()(sycl::nd_item<1> item) const {
    const std::size_t start = row_of(item) * columns;
    const float scale = 2.0f * weight * inv_entries;
    float sum = 0.0f;
    for_each_column(item, columns, [&](int c) {
      const float difference = a[start + c] - b[start + c];
      sum += difference * difference;
      diff_a[start + c] += scale * difference;
      diff_b[start + c] -= scale * difference;
    });
    sum = sum_over_group(item, sum);
    if (item.get_local_id(0) == 0) losses[row_of(item)] = sum * inv_entries;
  }
};
OPENCD_KERNEL(ConsistencyRows, 1)

/// One work-group in all: total[0] = sum of the entries.
struct SumOfEntries {
  const float* entries;
  float* total;
  int count;

  void operator()(sycl::nd_item<1> item) const {
    float sum = 0.0f;
    for_each_column(item, count, [&](int i) { sum += entries[i]; });
    sum = sum_over_group(item, sum);
    if (item.get_local_id(0) == 0) *total = sum;
  }
};
OPENCD_KERNEL(SumOfEntries, 1)

}  // namespace opencd::kernels
