// L2 normalisation of every row. One work-group a row; saves the length n of each row for the
// backward pass. Both assign. Deterministic: fixed blocks, group reductions, no atomics.
//   forward   n = |x|,  y = x / max(n, eps)
//   backward  dx = (dy - y <y, dy>) / n  where n > eps,  else dy / eps
#pragma once

#include "kernels/device/row_loop.hpp"

namespace opencd::kernels {

struct NormalizeRows {
  const float* src;
  float* dst;
  float* norms;
  int columns;
  float epsilon;

  void operator()(sycl::nd_item<1> item) const {
    const float* x = src + row_of(item) * columns;
    float* y = dst + row_of(item) * columns;

    float squares = 0.0f;
    for_each_column(item, columns, [&](int c) { squares += x[c] * x[c]; });
    const float norm = sycl::sqrt(sum_over_group(item, squares));
    const float scale = 1.0f / sycl::fmax(norm, epsilon);
    for_each_column(item, columns, [&](int c) { y[c] = x[c] * scale; });
    if (item.get_local_id(0) == 0) norms[row_of(item)] = norm;
  }
};
OPENCD_KERNEL(NormalizeRows, 1)

struct NormalizeRowsBackward {
  const float* dst;
  const float* norms;
  const float* diff_dst;
  float* diff_src;
  int columns;
  float epsilon;

  void operator()(sycl::nd_item<1> item) const {
    const std::size_t start = row_of(item) * columns;
    const float* y = dst + start;
    const float* dy = diff_dst + start;
    float* dx = diff_src + start;

    float inner = 0.0f;
    for_each_column(item, columns, [&](int c) { inner += y[c] * dy[c]; });
    inner = sum_over_group(item, inner);
    const float norm = norms[row_of(item)];
    const float along = norm > epsilon ? inner : 0.0f;
    const float scale = 1.0f / sycl::fmax(norm, epsilon);
    for_each_column(item, columns, [&](int c) { dx[c] = (dy[c] - y[c] * along) * scale; });
  }
};
OPENCD_KERNEL(NormalizeRowsBackward, 1)

}  // namespace opencd::kernels
