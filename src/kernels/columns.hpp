// Sums, means and variances over the rows of a matrix.
#pragma once

#include "kernels/scratch.hpp"

namespace opencd::kernels {

/// dst[c] = sum over all rows of src[.][c]
void column_sum(Device& device, Scratch& scratch, Rows<const float> src, View<float> dst);
/// dst[c] = mean over all rows of src[.][c]
void column_mean(Device& device, Scratch& scratch, Rows<const float> src, View<float> dst);
/// dst[c] = mean over all rows of weights[.] src[.][c]
void weighted_column_mean(Device& device,
                          Scratch& scratch,
                          Rows<const float> src,
                          View<const float> weights,
                          View<float> dst);
/// Mean and population variance of every column, read once: the sums are of differences from a row in the
/// middle, so neither large means nor single rows far from all others lose digits.
void column_moments(
    Device& device, Scratch& scratch, Rows<const float> src, View<float> mean, View<float> var);
/// Bytes of scratch memory that column_moments takes.
std::size_t column_moments_scratch_bytes(std::size_t rows, std::size_t columns);
/// Bytes of scratch memory that sums and means take for a matrix of this shape.
std::size_t column_scratch_bytes(std::size_t rows, std::size_t columns);

}  // namespace opencd::kernels
