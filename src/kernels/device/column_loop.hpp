// The loop of kernels that reduce columns over a slice of rows, one item a column and slice.
#pragma once

#include "kernels/device/row_loop.hpp"

namespace opencd::kernels {

inline constexpr int kChains = 4;  // sums that need not wait for each other

/// Calls body(row, chain) for every row of this item's slice. Rows are counted, not entries: CPU
/// drivers load whole vectors only in loops that all items leave together.
template <class Body>
OPENCD_INLINE inline void for_each_in_slice(const sycl::nd_item<2>& item,
                                            std::size_t rows,
                                            std::size_t rows_a_slice,
                                            Body body) {
  std::size_t row = item.get_global_id(0) * rows_a_slice;
  const std::size_t end = row + rows_a_slice < rows ? row + rows_a_slice : rows;
  for (; row + kChains <= end; row += kChains) {
    body(row, 0);
    body(row + 1, 1);
    body(row + 2, 2);
    body(row + 3, 3);
  }
  for (; row < end; ++row) body(row, 0);
}

OPENCD_INLINE inline float sum_of_chains(const float (&chains)[kChains]) {
  return (chains[0] + chains[1]) + (chains[2] + chains[3]);
}

}  // namespace opencd::kernels
