// Two views of a picture are to be classified alike: the mean squared difference of probabilities,
// value and gradient in one call.
#pragma once

#include "kernels/scratch.hpp"

namespace opencd::kernels {

/// The mean over all entries to loss[0]; `weight` times its gradients are added to diff_a and diff_b.
void mean_squared_difference(Device& device,
                             Scratch& scratch,
                             Rows<const float> a,
                             Rows<const float> b,
                             Rows<float> diff_a,
                             Rows<float> diff_b,
                             View<float> loss,
                             float weight = 1.0f);
/// Bytes of scratch memory that it takes for this many rows.
std::size_t mean_squared_difference_scratch_bytes(std::size_t rows);

}  // namespace opencd::kernels
