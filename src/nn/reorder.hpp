// Change of memory layout.
#pragma once

#include "kernels/memory.hpp"
#include "nn/engine.hpp"
#include "nn/shape.hpp"

namespace opencd::nn {

/// dst = src in another layout. Padding of dst becomes zero.
void reorder(const Engine& engine,
             const Desc& src_desc,
             kernels::View<const float> src,
             const Desc& dst_desc,
             kernels::View<float> dst);

/// The same for weights, with output channel o multiplied by scale[o].
void reorder_scaled(const Engine& engine,
                    const Desc& src_desc,
                    kernels::View<const float> src,
                    kernels::View<const float> scale,
                    const Desc& dst_desc,
                    kernels::View<float> dst);

}  // namespace opencd::nn
