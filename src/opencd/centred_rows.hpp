// Rows on the device about their mean.
#pragma once

#include "kernels/memory.hpp"
#include "nn/engine.hpp"

namespace opencd {

kernels::Buffer<float> column_means(kernels::Device& device, kernels::Rows<const float> rows);

/// dst[i] = src[i] - mean of all rows of src. `dst` may be `src`.
void centre_rows(const nn::Engine& engine,
                 kernels::Rows<const float> src,
                 kernels::Rows<float> dst);

}  // namespace opencd
