#include "kernels/nearest_rows.hpp"

#include "kernels/check.hpp"
#include "kernels/device/nearest_rows.hpp"
#include "kernels/launch.hpp"

namespace opencd::kernels {

void nearest_rows(Device& device,
                  View<const float> squares,
                  std::size_t first,
                  Rows<float> products,
                  View<float> radii,
                  View<std::int32_t> on_edge,
                  Rows<std::int32_t> nearest) {
  require_equal("nearest_rows", "columns of products", squares.size, products.columns);
  require_equal("nearest_rows", "rows of nearest", products.rows, nearest.rows);
  require_equal("nearest_rows", "radii", products.rows, radii.size);
  require_equal("nearest_rows", "counts on the edge", products.rows, on_edge.size);
  if (nearest.columns == 0 || nearest.columns >= products.columns)
    fail<ShapeError>("[nearest_rows] expected from 1 to {} neighbours, got {}",
                     products.columns - 1, nearest.columns);
  if (first > squares.size || products.rows > squares.size - first)
    fail<ShapeError>("[nearest_rows] expected rows within {}, got {} to {}", squares.size, first,
                     first + products.rows);
  const int columns = to_int("nearest_rows", products.columns);
  const int k = to_int("nearest_rows", nearest.columns);
  launch_rows(
      device, products.rows, products.columns,
      NearestRadius{squares.data, products.data, radii.data, on_edge.data, first, columns, k});
  launch_elements(device, products.rows,
                  NearestColumns{products.data, radii.data, on_edge.data, nearest.data,
                                 products.rows, columns, k});
}

void neighbour_distances(Device& device,
                         Rows<const float> points,
                         Rows<const std::int32_t> nearest,
                         Rows<float> distances) {
  require_equal("neighbour_distances", "rows of nearest", points.rows, nearest.rows);
  require_same_shape("neighbour_distances", nearest, distances);
  launch_rows(device, distances.size(), points.columns,
              NeighbourDistances{points.data, nearest.data, distances.data,
                                 to_int("neighbour_distances", points.columns),
                                 to_int("neighbour_distances", nearest.columns)});
}

}  // namespace opencd::kernels
