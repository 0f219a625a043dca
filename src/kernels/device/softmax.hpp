// Softmax of every row with a temperature tau. One work-group a row; nothing is saved but the
// output. Both assign. Deterministic: fixed blocks, group reductions, no atomics.
//   forward   p_k = exp((x_k - max x) / tau) / sum_j exp((x_j - max x) / tau)
//   backward  dx_k = p_k (dp_k - sum_j p_j dp_j) / tau
#pragma once

#include "kernels/device/row_functions.hpp"

namespace opencd::kernels {

struct SoftmaxRows {
  const float* src;
  float* dst;
  int columns;
  float inv_temperature;

  void operator()(sycl::nd_item<1> item) const {
    const float* x = src + row_of(item) * columns;
    float* p = dst + row_of(item) * columns;

    float largest = -kInfinity;
    for_each_column(item, columns, [&](int c) { largest = sycl::fmax(largest, x[c]); });
    largest = max_over_group(item, largest);

    float total = 0.0f;
    for_each_column(item, columns, [&](int c) {
      const float e = sycl::exp((x[c] - largest) * inv_temperature);
      p[c] = e;
      total += e;
    });
    const float scale = 1.0f / sum_over_group(item, total);
    for_each_column(item, columns, [&](int c) { p[c] *= scale; });
  }
};
OPENCD_KERNEL(SoftmaxRows, 1)

struct SoftmaxRowsBackward {
  const float* dst;
  const float* diff_dst;
  float* diff_src;
  int columns;
  float inv_temperature;

  void operator()(sycl::nd_item<1> item) const {
    const std::size_t start = row_of(item) * columns;
    softmax_backward(item, dst + start, diff_dst + start, diff_src + start, columns,
                     inv_temperature);
  }
};
OPENCD_KERNEL(SoftmaxRowsBackward, 1)

}  // namespace opencd::kernels
