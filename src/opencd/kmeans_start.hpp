// Where k-means starts: greedy k-means++ (Arthur and Vassilvitskii, SODA 2007). Each next centre is
// a row drawn with a probability that grows with its squared distance to the centres before it, the
// best of a few such draws. Several starts are drawn side by side, because what costs time is
// reading all rows, and one matrix product serves the candidates of all starts.
#pragma once

#include "opencd/kmeans_points.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace opencd {

struct StartingRowsOptions {
  std::size_t centres = 0;  // to choose
  int starts = 1;
  std::uint32_t seed = 0;
};

/// For every start the rows that become centres. `nearest` holds the squared distance of every row
/// to the centres that are there already, infinity if there are none; a row of distance 0 is not
/// chosen while others are left. Start s draws from a random sequence of its own, so that more
/// starts leave the first ones as they are.
std::vector<std::vector<std::int32_t>> starting_rows(const KMeansPoints& points,
                                                     std::span<const float> nearest,
                                                     const StartingRowsOptions& options);

}  // namespace opencd
