// The k nearest other rows of every row, exactly and without sorting:
//   1. |x_i - x_j|^2 = |x_i|^2 + |x_j|^2 - 2 x_i . x_j for all j, from a matrix product;
//   2. the radius of row i, its k-th least distance, by bisection over the bits of a float: distances
//      are not negative, so they are ordered as their bits are;
//   3. the rows within the radius, in ascending order; of those on it, the first.
// Products lose digits where rows are much nearer to each other than to the origin. They only choose
// neighbours: NeighbourDistances measures those again, from differences.
// All kernels assign. No sum has an order to depend on but those of a group; no atomics.
#pragma once

#include "kernels/device/row_loop.hpp"

namespace opencd::kernels {

/// Turns products into squared distances in place, infinite to the row itself, and finds the radius.
/// One work-group a row.
struct NearestRadius {
  const float* squares;  // |x|^2 of all rows
  float* products;       // of the rows from `first` on with all rows
  float* radii;
  std::int32_t* on_edge;  // how many of the rows on the radius belong to the k nearest
  std::size_t first;
  int columns;
  int k;

  void operator()(sycl::nd_item<1> item) const {
    float* x = products + row_of(item) * columns;
    const int self = static_cast<int>(first + row_of(item));
    const float square = squares[self];
    for_each_column(item, columns, [&](int c) {
      const float distance = sycl::fmax(square + squares[c] - 2.0f * x[c], 0.0f);
      x[c] = c == self ? kInfinity : distance;
    });
    // An item reads only what it wrote itself, so nothing has to be waited for.
    std::uint32_t low = 0;
    std::uint32_t high = sycl::bit_cast<std::uint32_t>(kInfinity);
    while (low < high) {
      const std::uint32_t middle = low + (high - low) / 2;
      if (count_within(item, x, sycl::bit_cast<float>(middle)) >= k)
        high = middle;
      else
        low = middle + 1;
    }
    const int inside = low == 0 ? 0 : count_within(item, x, sycl::bit_cast<float>(low - 1));
    if (item.get_local_id(0) == 0) {
      radii[row_of(item)] = sycl::bit_cast<float>(low);
      on_edge[row_of(item)] = k - inside;
    }
  }

 private:
  int count_within(const sycl::nd_item<1>& item, const float* x, float radius) const {
    int count = 0;
    for_each_column(item, columns, [&](int c) { count += x[c] <= radius ? 1 : 0; });
    return sum_over_group(item, count);
  }
};
OPENCD_KERNEL(NearestRadius, 1)

/// Lists the rows within the radius. One item a row.
struct NearestColumns {
  const float* distances;
  const float* radii;
  const std::int32_t* on_edge;
  std::int32_t* nearest;  // rows x k
  std::size_t rows;
  int columns;
  int k;

  void operator()(sycl::nd_item<1> item) const {
    const std::size_t row = element_of(item);
    if (row < rows) {
      const float* x = distances + row * columns;
      std::int32_t* list = nearest + row * k;
      const float radius = radii[row];
      int left_on_edge = on_edge[row];
      int taken = 0;
      for (int c = 0; c < columns; ++c) {
        const bool edge = x[c] == radius;
        if (edge ? left_on_edge > 0 : x[c] < radius) {
          list[taken++] = c;
          left_on_edge -= edge ? 1 : 0;
        }
      }
    }
  }
};
OPENCD_KERNEL(NearestColumns, 1)

/// distances[i][n] = |x_i - x_j|^2 for j = nearest[i][n]. One work-group a pair.
struct NeighbourDistances {
  const float* points;
  const std::int32_t* nearest;
  float* distances;
  int columns;
  int k;

  void operator()(sycl::nd_item<1> item) const {
    const std::size_t pair = row_of(item);
    const float* x = points + pair / k * columns;
    const float* y = points + static_cast<std::size_t>(nearest[pair]) * columns;
    float sum = 0.0f;
    for_each_column(item, columns, [&](int c) { sum += (x[c] - y[c]) * (x[c] - y[c]); });
    sum = sum_over_group(item, sum);
    if (item.get_local_id(0) == 0) distances[pair] = sum;
  }
};
OPENCD_KERNEL(NeighbourDistances, 1)

}  // namespace opencd::kernels
