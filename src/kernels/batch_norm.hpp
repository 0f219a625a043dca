// Batch norm of a matrix with a column for each channel: pictures whose channels lie side by side, or
// features. oneDNN has the same for any layout, at a third of the memory's speed forward.
#pragma once

#include "kernels/batch_statistics.hpp"
#include "kernels/scratch.hpp"

namespace opencd::kernels {

struct BatchNormOptions {
  float epsilon = 1e-5f;
  bool relu = false;
};

/// dst, which may be src, from src and the moments of the batch (column_moments).
void batch_norm_forward(Device& device,
                        Scratch& scratch,
                        const BatchNormOptions& options,
                        const FixedNorm& norm,
                        Rows<const float> src,
                        Rows<float> dst);

/// Gradients of a batch norm; diff_src may be the gradient it comes from.
struct BatchNormGradients {
  Rows<float> diff_src;
  View<float> diff_weight;
  View<float> diff_bias;
};
void batch_norm_backward(Device& device,
                         Scratch& scratch,
                         const BatchNormOptions& options,
                         const FixedNorm& norm,
                         Rows<const float> src,
                         Rows<const float> diff_dst,
                         const BatchNormGradients& gradients);

/// Bytes of scratch memory that either takes.
std::size_t batch_norm_scratch_bytes(std::size_t rows, std::size_t columns);

}  // namespace opencd::kernels
