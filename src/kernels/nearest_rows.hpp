// The nearest other rows of every row, from products of rows with all rows; see
// kernels/device/nearest_rows.hpp.
#pragma once

#include "kernels/memory.hpp"

#include <cstdint>

namespace opencd::kernels {

/// products[i][j] = x_first+i . x_j, which become squared distances, infinite from a row to itself.
/// nearest[i] lists the k = nearest.columns nearest others of row first + i, in ascending order; of
/// equally near ones the first. `squares` are |x|^2 of all rows and must be finite; `radii` and
/// `on_edge` are room for one value a row.
void nearest_rows(Device& device,
                  View<const float> squares,
                  std::size_t first,
                  Rows<float> products,
                  View<float> radii,
                  View<std::int32_t> on_edge,
                  Rows<std::int32_t> nearest);

/// distances[i][n] = |x_i - x_j|^2 for j = nearest[i][n], from the differences.
void neighbour_distances(Device& device,
                         Rows<const float> points,
                         Rows<const std::int32_t> nearest,
                         Rows<float> distances);

}  // namespace opencd::kernels
