// Squared norm and finite check of a long vector in one pass.
#pragma once

#include "kernels/norm_record.hpp"
#include "kernels/scratch.hpp"

#include <span>

namespace opencd::kernels {

/// dst[0] = {sum of squares, number of entries that are infinite or NaN}.
void squared_norm(Device& device, Scratch& scratch, View<const float> src, View<NormRecord> dst);
/// The same of several vectors together.
void squared_norm(Device& device,
                  Scratch& scratch,
                  std::span<const View<const float>> parts,
                  View<NormRecord> dst);
/// Bytes of scratch memory that squared_norm takes for `count` elements in so many parts at most.
std::size_t norm_scratch_bytes(std::size_t count, std::size_t parts = 1);

}  // namespace opencd::kernels
