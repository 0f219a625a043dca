// The k largest entries of every row, largest first; equal values are ordered by column, NaN counts
// as -infinity. With k = 1 this is arg-max. Assigns indices and values.
// One work-group a row: k rounds, each takes the largest entry that comes after the one found
// before. A round is two group reductions, so the result is exact and the same on every device.
#pragma once

#include "kernels/device/row_loop.hpp"

namespace opencd::kernels {

struct TopKRows {
  const float* src;
  std::int32_t* indices;  // rows x k
  float* values;          // rows x k, or null
  int columns;
  int k;

  /// Whether entry (value, column) stands after (last_value, last_column) in the order of the
  /// result.
  static bool after(float value, int column, float last_value, int last_column) {
    return value < last_value || (value == last_value && column > last_column);
  }

  void operator()(sycl::nd_item<1> item) const {
    const float* x = src + row_of(item) * columns;
    const std::size_t start = row_of(item) * k;
    float last_value = kInfinity;
    int last_column = -1;
    for (int round = 0; round < k; ++round) {
      float best = -kInfinity;
      int column = columns;
      for_each_column(item, columns, [&](int c) {
        const float value = x[c] == x[c] ? x[c] : -kInfinity;
        const bool better = value > best || column == columns;
        if (after(value, c, last_value, last_column) && better) {
          best = value;
          column = c;
        }
      });
      const float winner = max_over_group(item, best);
      column = min_over_group(item, best == winner ? column : columns);
      if (item.get_local_id(0) == 0) {
        indices[start + round] = column;
        if (values != nullptr) values[start + round] = winner;
      }
      last_value = winner;
      last_column = column;
    }
  }
};
OPENCD_KERNEL(TopKRows, 1)

}  // namespace opencd::kernels
