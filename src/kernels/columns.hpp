// Sums and means over the rows of a matrix.
#pragma once

#include "kernels/scratch.hpp"

namespace opencd::kernels {

/// dst[c] = sum over all rows of src[.][c]
void column_sum(Device& device, Scratch& scratch, Rows<const float> src, View<float> dst);
/// dst[c] = mean over all rows of src[.][c]
void column_mean(Device& device, Scratch& scratch, Rows<const float> src, View<float> dst);
/// Bytes of scratch memory that column_sum and column_mean take for a matrix of this shape.
std::size_t column_scratch_bytes(std::size_t rows, std::size_t columns);

}  // namespace opencd::kernels
