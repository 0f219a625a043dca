// Principal component analysis of rows on the device: fewer columns, for k-means and for counters
// that distances in hundreds of dimensions mislead.
#pragma once

#include "kernels/memory.hpp"
#include "nn/engine.hpp"

namespace opencd {

/// The `count` directions in which the rows vary most, as unit rows on the device. UsageError for
/// more directions than columns.
kernels::Buffer<float> principal_directions(const nn::Engine& engine,
                                            kernels::Rows<const float> rows,
                                            std::size_t count);

/// Rows about their mean, by their `count` principal directions.
kernels::Buffer<float> principal_components(const nn::Engine& engine,
                                            kernels::Rows<const float> rows,
                                            std::size_t count);

}  // namespace opencd
