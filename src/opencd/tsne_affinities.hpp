// The affinities of rows that a t-SNE map is to repeat, as a sparse symmetric matrix, and how far a
// map is from repeating them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace opencd {

struct TsneAffinities {
  std::vector<std::int32_t> starts;   // row i has the entries starts[i] .. starts[i + 1] - 1
  std::vector<std::int32_t> columns;  // ascending within a row
  std::vector<float> values;          // p_ij; all sum to 1

  std::size_t rows() const { return starts.size() - 1; }
};

/// p_ij = (p(j|i) + p(i|j)) / 2N. The neighbours of row i are nearest[i k] .. nearest[i k + k - 1],
/// ascending, their p(j|i) at the same places of `conditional`.
TsneAffinities symmetric_affinities(std::span<const std::int32_t> nearest,
                                    std::span<const float> conditional,
                                    std::size_t rows);

/// sum p_ij log(p_ij / q_ij), q_ij = 1 / (1 + |y_i - y_j|^2) / weight, for a map of two planes, 2 x
/// rows. `weight` is the sum of 1 / (1 + |y_i - y_j|^2) over all pairs of different rows.
double kl_divergence(const TsneAffinities& affinities, std::span<const float> map, double weight);

}  // namespace opencd
