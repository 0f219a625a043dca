// Sums over the rows of a matrix, column by column, in two steps whose order depends on the shape
// alone; no atomics. Both assign.
//   partial[s][c] = sum of x[r][c] over the rows of slice s        one item a column and slice
//   dst[c]        = factor * sum_s partial[s][c]                   one item a column
// factor 1 gives the sum, 1 / rows the mean.
#pragma once

#include "kernels/device/row_loop.hpp"

namespace opencd::kernels {

struct ColumnSlices {
  const float* src;
  float* partial;  // slices x columns
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
      for (std::size_t r = first; r < last; ++r) sum += src[r * columns + c];
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

}  // namespace opencd::kernels
