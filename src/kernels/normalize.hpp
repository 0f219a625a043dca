// L2 normalisation of every row, and its gradient.
#pragma once

#include "kernels/memory.hpp"

namespace opencd::kernels {

inline constexpr float kNormalizeEpsilon = 1e-12f;

/// dst = each row of src divided by its length (at least epsilon); `norms` keeps the lengths for
/// the backward pass.
void normalize_rows(Device& device,
                    Rows<const float> src,
                    Rows<float> dst,
                    View<float> norms,
                    float epsilon = kNormalizeEpsilon);
/// The gradient of src from the output and the norms that normalize_rows left.
void normalize_rows_backward(Device& device,
                             Rows<const float> dst,
                             View<const float> norms,
                             Rows<const float> diff_dst,
                             Rows<float> diff_src,
                             float epsilon = kNormalizeEpsilon);

}  // namespace opencd::kernels
