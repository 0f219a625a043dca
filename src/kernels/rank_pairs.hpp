// The pair loss of RankStats: unlabelled rows whose largest features are the same are of one class.
#pragma once

#include "kernels/scratch.hpp"

#include <cstdint>

namespace opencd::kernels {

/// For a batch of B rows: `products` are the B x B inner products of the probabilities of view 1 with
/// those of view 2, `tops` the columns of the largest features of every row. The mean over all pairs
/// of unlabelled rows goes to loss[0], its gradient to diff_products, which may be `products`. Without
/// unlabelled rows both are 0.
void rank_pairs(Device& device,
                Scratch& scratch,
                Rows<const float> products,
                Rows<const std::int32_t> tops,
                View<const std::int32_t> labels,
                Rows<float> diff_products,
                View<float> loss);
/// Bytes of scratch memory that it takes for this many rows.
std::size_t rank_pairs_scratch_bytes(std::size_t rows);

}  // namespace opencd::kernels
