// How kernels that reduce over the rows of a matrix cut it: slices of rows that work-groups take side by
// side, combined in their order. Depends on the shape alone, so that sums are the same bits on every run
// and device.
#pragma once

#include <algorithm>
#include <cstddef>

namespace opencd::kernels {

struct RowSlices {
  std::size_t rows_each;
  std::size_t count;

  explicit RowSlices(std::size_t rows)
      : rows_each(std::max(kLeastRows, (rows + kMostSlices - 1) / kMostSlices)),
        count(std::max<std::size_t>(1, (rows + rows_each - 1) / rows_each)) {}

 private:
  static constexpr std::size_t kLeastRows = 128;
  static constexpr std::size_t kMostSlices = 512;
};

}  // namespace opencd::kernels
