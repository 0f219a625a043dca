// Softmax of every row with a temperature, and its gradient.
#pragma once

#include "kernels/memory.hpp"

namespace opencd::kernels {

/// dst = softmax of each row of src / temperature; temperature > 0. dst may be src.
void softmax_rows(Device& device, Rows<const float> src, Rows<float> dst, float temperature = 1.0f);
/// The gradient of src from the output `dst` of softmax_rows. diff_src may be diff_dst.
void softmax_rows_backward(Device& device,
                           Rows<const float> dst,
                           Rows<const float> diff_dst,
                           Rows<float> diff_src,
                           float temperature = 1.0f);

}  // namespace opencd::kernels
