// In-batch positive pairs: whom every row of a batch is compared with.
#pragma once

#include "kernels/memory.hpp"

#include <cstdint>

namespace opencd::kernels {

/// What the random partners of labelled rows depend on, beside the row's place in the batch.
struct PairKey {
  std::uint32_t seed = 0;
  std::uint32_t step = 0;  // of the whole run, so that no two batches draw alike
};

/// partners[i] for a batch of B rows with the B x B `cosines` of their features and `labels`
/// (negative: unlabelled). A labelled row gets a uniformly random other row of its label, an
/// unlabelled row its nearest other row; a row that finds none gets itself.
void positive_pairs(Device& device,
                    Rows<const float> cosines,
                    View<const std::int32_t> labels,
                    View<std::int32_t> partners,
                    PairKey key);

}  // namespace opencd::kernels
