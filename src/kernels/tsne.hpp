// The parts of t-SNE that run on the device; formulas in kernels/device/tsne.hpp. A map lies in two
// planes: 2 x rows.
#pragma once

#include "kernels/memory.hpp"
#include "kernels/tsne_rates.hpp"

#include <cstdint>

namespace opencd::kernels {

/// Squared distances of every row's neighbours (rows x k) become affinities that sum to one and have
/// the perplexity asked for, or the nearest one there is. In place.
void conditional_affinities(Device& device, Rows<float> values, float perplexity);

/// pushes[i] = sum_j w_ij^2 (y_i - y_j), weights[i] = sum_j!=i w_ij over all rows j.
void repulsion(Device& device, Rows<const float> map, Rows<float> pushes, View<float> weights);

/// Symmetric affinities: row i has the entries starts[i] .. starts[i + 1] - 1.
struct AffinityEntries {
  View<const std::int32_t> starts;
  View<const std::int32_t> columns;
  View<const float> affinities;
};

/// What descent remembers of every coordinate; 0 and 1 at the start.
struct TsneMemory {
  Rows<float> velocity;
  Rows<float> gains;
};

/// One step from `map` to `moved`, another matrix. `weight` is the sum of all weights of `repulsion`.
void tsne_step(Device& device,
               const AffinityEntries& entries,
               Rows<const float> map,
               Rows<const float> pushes,
               View<const float> weight,
               const TsneMemory& memory,
               Rows<float> moved,
               const TsneRates& rates);

}  // namespace opencd::kernels
