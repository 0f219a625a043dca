// Squared norm and finite check of a long vector in one pass, in two steps whose order depends on
// the size alone; no atomics. Both assign.
//   every work-group sums x^2 over its block and counts the entries that are not finite;
//   one work-group adds the blocks' results.
// A square that overflows makes the sum infinite but its entry does not count as bad.
#pragma once

#include "kernels/device/row_loop.hpp"
#include "kernels/norm_record.hpp"

namespace opencd::kernels {

struct NormBlocks {
  const float* src;
  NormRecord* blocks;
  std::size_t count;
  int block_size;

  void operator()(sycl::nd_item<1> item) const {
    const std::size_t start = row_of(item) * block_size;
    const int here =
        static_cast<int>(sycl::min(static_cast<std::size_t>(block_size), count - start));
    const float* x = src + start;
    float squares = 0.0f;
    std::int32_t bad = 0;
    for_each_column(item, here, [&](int c) {
      squares += x[c] * x[c];
      bad += sycl::fabs(x[c]) < kInfinity ? 0 : 1;
    });
    squares = sum_over_group(item, squares);
    bad = sum_over_group(item, bad);
    if (item.get_local_id(0) == 0) blocks[row_of(item)] = {squares, bad};
  }
};
OPENCD_KERNEL(NormBlocks, 1)

struct NormCombine {
  const NormRecord* blocks;
  NormRecord* dst;
  int block_count;

  void operator()(sycl::nd_item<1> item) const {
    float squares = 0.0f;
    std::int32_t bad = 0;
    for_each_column(item, block_count, [&](int c) {
      squares += blocks[c].squares;
      bad += blocks[c].bad;
    });
    squares = sum_over_group(item, squares);
    bad = sum_over_group(item, bad);
    if (item.get_local_id(0) == 0) *dst = {squares, bad};
  }
};
OPENCD_KERNEL(NormCombine, 1)

}  // namespace opencd::kernels
