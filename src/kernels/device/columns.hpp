// Sums over the rows of a matrix, column by column, in two steps whose order depends on the shape
// alone; no atomics. Both assign.
//   partial[s][c] = sum of w[r] x[r][c] over the rows of slice s   one item a column and slice
//   dst[c]        = factor * sum_s partial[s][c]                   one item a column
// factor 1 gives the sum, 1 / rows the mean; w is 1 where no weights are given.
//
// Moments take the same two steps, and no guard: their items are as many as the columns. A slice of n
// rows leaves its mean m_s and its sum of squares Q_s about that, with d = x - o:
//   m_s = o + sum d / n,  Q_s = sum d^2 - (sum d)^2 / n
// o is the median of three rows of the slice, so that one row far from all others is not what the others
// are measured from: sum d^2 would hold almost nothing but its distance. Then
//   mean = sum_s n_s m_s / rows,  variance = sum_s (Q_s + n_s (m_s - mean)^2) / rows
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

inline float median_of_three(float a, float b, float c) {
  return sycl::fmax(sycl::fmin(a, b), sycl::fmin(sycl::fmax(a, b), c));
}

struct ColumnMomentSlices {
  const float* src;
  float* partial;  // slices x (mean, squares about it) x columns
  std::size_t rows;
  std::size_t rows_a_slice;

  void operator()(sycl::nd_item<2> item) const {
    const std::size_t columns = item.get_global_range(1);
    const std::size_t c = item.get_global_id(1);
    const std::size_t first = item.get_global_id(0) * rows_a_slice;
    const std::size_t end = first + rows_a_slice < rows ? first + rows_a_slice : rows;
    const float origin =
        median_of_three(src[first * columns + c], src[(first + (end - first) / 2) * columns + c],
                        src[(end - 1) * columns + c]);
    const auto count = static_cast<float>(end - first);
    float sum[kChains] = {}, squares[kChains] = {};
    for_each_in_slice(item, rows, rows_a_slice, [&](std::size_t row, int chain) OPENCD_INLINE {
      const float difference = src[row * columns + c] - origin;
      sum[chain] += difference;
      squares[chain] += difference * difference;
    });
    float* dst = partial + 2 * item.get_global_id(0) * columns + c;
    const float distance = sum_of_chains(sum) / count;
    const float spread = sum_of_chains(squares) - count * distance * distance;
    dst[0] = origin + distance;
    dst[columns] = spread < 0.0f ? 0.0f : spread;
  }
};
OPENCD_KERNEL(ColumnMomentSlices, 2)

struct ColumnMomentCombine {
  const float* partial;
  float* mean;
  float* var;
  int slices;
  float rows_a_slice;
  float rows;

  void operator()(sycl::nd_item<1> item) const {
    const std::size_t columns = item.get_global_range(0);
    const std::size_t c = item.get_global_id(0);
    const float last = rows - static_cast<float>(slices - 1) * rows_a_slice;
    const float origin = partial[c];
    float sum = 0.0f;
    for (int s = 0; s < slices; ++s) {
      const float weight = s + 1 < slices ? rows_a_slice : last;
      sum += weight * (partial[2 * static_cast<std::size_t>(s) * columns + c] - origin);
    }
    const float centre = origin + sum / rows;
    float squares = 0.0f;
    for (int s = 0; s < slices; ++s) {
      const float* slice = partial + 2 * static_cast<std::size_t>(s) * columns + c;
      const float weight = s + 1 < slices ? rows_a_slice : last;
      const float difference = slice[0] - centre;
      squares += slice[columns] + weight * difference * difference;
    }
    mean[c] = centre;
    var[c] = squares / rows;
  }
};
OPENCD_KERNEL(ColumnMomentCombine, 1)

}  // namespace opencd::kernels
