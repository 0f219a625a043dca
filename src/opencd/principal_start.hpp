// Where the points of a map start: along the two main directions of the rows.
#pragma once

#include "kernels/memory.hpp"
#include "nn/engine.hpp"

#include <cstdint>
#include <vector>

namespace opencd {

/// The first two principal components of `centred` rows (column means 0), scaled so that the first
/// has the standard deviation 1e-4, as two planes: 2 x rows. Found by subspace iteration; the entry
/// of a component that is largest by amount is positive. Where there is no second direction, or no
/// first, points get random coordinates of that deviation instead.
std::vector<float> principal_start(const nn::Engine& engine,
                                   kernels::Rows<const float> centred,
                                   std::uint32_t seed);

}  // namespace opencd
