// Sums over the rows of a matrix, column by column, in two steps whose order depends on the shape
// alone; no atomics. Both assign.
//   partial[s][c] = sum of w[r] x[r][c] over the rows of slice s   one item a column and slice
//   dst[c]        = factor * sum_s partial[s][c]                   one item a column
// factor 1 gives the sum, 1 / rows the mean; w is 1 where no weights are given. Moments take the same
// two steps, with d = x - x[0] for mean = x[0] + E[d] and variance E[d^2] - E[d]^2, and no guard: their
// items are as many as the columns.
#pragma once

#include "kernels/device/column_loop.hpp"

namespace opencd::kernels {

struct ColumnSlices {
  const float* src;
  const float* weights;  // of rows, or null
  float* partial;        // slices x columns
  std::size_t rows;
  std::size_t rows_a_slice;
  int columns;

  void operator()(sycl::nd_item<2> item) const {
    const int c = static_cast<int>(item.get_global_id(1));
    const std::size_t slice = item.get_global_id(0);
    const std::size_t first = slice * rows_a_slice;
    const std::size_t last = sycl::min(first + rows_a_slice, rows);
    if (c < columns) {
      float sum = 0.0f;
      if (weights == nullptr)
        for (std::size_t r = first; r < last; ++r) sum += src[r * columns + c];
      else
        for (std::size_t r = first; r < last; ++r) sum += weights[r] * src[r * columns + c];
      partial[slice * columns + c] = sum;
    }
  }
};
OPENCD_KERNEL(ColumnSlices, 2)

struct ColumnCombine {
  const float* partial;
  float* dst;
  int slices;
  int columns;
  float factor;

  void operator()(sycl::nd_item<1> item) const {
    const int c = static_cast<int>(element_of(item));
    if (c < columns) {
      float sum = 0.0f;
      for (int s = 0; s < slices; ++s) sum += partial[static_cast<std::size_t>(s) * columns + c];
      dst[c] = factor * sum;
    }
  }
};
OPENCD_KERNEL(ColumnCombine, 1)

struct ColumnMomentSlices {
  const float* src;
  float* partial;  // slices x (sums, squares) x columns
  std::size_t rows;
  std::size_t rows_a_slice;

  void operator()(sycl::nd_item<2> item) const {
    const std::size_t columns = item.get_global_range(1);
    const std::size_t c = item.get_global_id(1);
    const float origin = src[c];
    float sum[kChains] = {}, squares[kChains] = {};
    for_each_in_slice(item, rows, rows_a_slice, [&](std::size_t row, int chain) OPENCD_INLINE {
      const float difference = src[row * columns + c] - origin;
      sum[chain] += difference;
      squares[chain] += difference * difference;
    });
    float* dst = partial + 2 * item.get_global_id(0) * columns + c;
    dst[0] = sum_of_chains(sum);
    dst[columns] = sum_of_chains(squares);
  }
};
OPENCD_KERNEL(ColumnMomentSlices, 2)

struct ColumnMomentCombine {
  const float* src;
  const float* partial;
  float* mean;
  float* var;
  int slices;
  float rows;

  void operator()(sycl::nd_item<1> item) const {
    const std::size_t columns = item.get_global_range(0);
    const std::size_t c = item.get_global_id(0);
    float sum = 0.0f, squares = 0.0f;
    for (int s = 0; s < slices; ++s) {
      const float* slice = partial + 2 * static_cast<std::size_t>(s) * columns + c;
      sum += slice[0];
      squares += slice[columns];
    }
    const float difference = sum / rows;
    const float variance = squares / rows - difference * difference;
    mean[c] = src[c] + difference;
    var[c] = variance > 0.0f ? variance : 0.0f;
  }
};
OPENCD_KERNEL(ColumnMomentCombine, 1)

}  // namespace opencd::kernels
