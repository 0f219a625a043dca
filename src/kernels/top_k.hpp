// The largest entries of every row or column.
#pragma once

#include "kernels/memory.hpp"

#include <cstdint>

namespace opencd::kernels {

inline constexpr std::size_t kMaxTopK = 16;

/// Who reads a row: one item, a work-group, or whichever is faster on the device. The result is the
/// same.
enum class RowReader { automatic, item, group };

/// The column of the largest entry of every row; the first one if several are equal.
void argmax_rows(Device& device, Rows<const float> src, View<std::int32_t> indices);
/// The columns of the k = indices.columns largest entries of every row, largest first, ties by
/// column. k is at most 16 and at most the number of columns. `values` may be empty.
void top_k_rows(Device& device,
                Rows<const float> src,
                Rows<std::int32_t> indices,
                Rows<float> values = {},
                RowReader reader = RowReader::automatic);
/// The same for columns: row i of `indices` has the rows of the largest entries of column i.
void top_k_columns(Device& device, Rows<const float> src, Rows<std::int32_t> indices);

}  // namespace opencd::kernels
