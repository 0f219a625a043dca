#include "kernels/kmeans.hpp"

#include "kernels/check.hpp"
#include "kernels/device/kmeans.hpp"
#include "kernels/launch.hpp"

namespace opencd::kernels {

void extend_rows(Device& device,
                 Rows<const float> src,
                 View<const float> origin,
                 Rows<float> points,
                 View<float> squares) {
  require_equal("extend_rows", "columns of origin", src.columns, origin.size);
  require_equal("extend_rows", "rows of points", src.rows, points.rows);
  require_equal("extend_rows", "columns of points", src.columns + 1, points.columns);
  require_equal("extend_rows", "squares", src.rows, squares.size);
  launch_rows(device, src.rows, src.columns,
              ExtendRows{src.data, origin.data, points.data, squares.data,
                         to_int("extend_rows", src.columns)});
}

void rows_as_centres(Device& device,
                     Rows<const float> points,
                     View<const float> squares,
                     View<const std::int32_t> rows,
                     Rows<float> centres) {
  require_equal("rows_as_centres", "squares", points.rows, squares.size);
  require_equal("rows_as_centres", "centres", rows.size, centres.rows);
  require_equal("rows_as_centres", "columns of centres", points.columns, centres.columns);
  launch_elements(device, centres.size(),
                  RowsAsCentres{points.data, squares.data, rows.data, centres.data, centres.size(),
                                to_int("rows_as_centres", points.columns)});
}

void candidate_distances(Device& device,
                         View<const float> squares,
                         Rows<const float> nearest,
                         Rows<float> products) {
  require_equal("candidate_distances", "squares", products.rows, squares.size);
  require_equal("candidate_distances", "rows of nearest", products.rows, nearest.rows);
  if (nearest.columns == 0 || products.columns % nearest.columns != 0)
    fail<ShapeError>(
        "[candidate_distances] expected as many candidates for each of {} starts, got "
        "{} in all",
        nearest.columns, products.columns);
  const int candidates = to_int("candidate_distances", products.columns);
  launch_elements(device, products.size(),
                  CandidateDistances{squares.data, nearest.data, products.data, products.size(),
                                     candidates, candidates / static_cast<int>(nearest.columns)});
}

void keep_candidates(Device& device,
                     Rows<const float> distances,
                     View<const std::int32_t> chosen,
                     Rows<float> nearest) {
  require_equal("keep_candidates", "rows of nearest", distances.rows, nearest.rows);
  require_equal("keep_candidates", "chosen candidates", nearest.columns, chosen.size);
  launch_elements(device, nearest.size(),
                  KeepCandidates{distances.data, chosen.data, nearest.data, nearest.size(),
                                 to_int("keep_candidates", nearest.columns),
                                 to_int("keep_candidates", distances.columns)});
}

void move_centres(Device& device,
                  Rows<const float> points,
                  const ClusterSlices& clusters,
                  Rows<float> partial,
                  Rows<float> centres,
                  View<float> moved) {
  require_equal("move_centres", "columns of centres", points.columns, centres.columns);
  require_equal("move_centres", "sums of slices", clusters.slices.size, partial.rows + 1);
  require_equal("move_centres", "columns of partial", points.columns, partial.columns + 1);
  require_equal("move_centres", "first slices", centres.rows + 1, clusters.first_slice.size);
  require_equal("move_centres", "ways", centres.rows, moved.size);
  const int columns = to_int("move_centres", partial.columns);
  if (partial.size() > 0) {
    const auto lanes = static_cast<std::size_t>(device.row_group_size(partial.columns));
    launch(
        device, sycl::nd_range<2>({partial.rows, round_up(partial.columns, lanes)}, {1, lanes}),
        SliceSums{points.data, clusters.order.data, clusters.slices.data, partial.data, columns});
  }
  launch_rows(device, centres.rows, partial.columns,
              MoveCentres{partial.data, clusters.slices.data, clusters.first_slice.data,
                          centres.data, moved.data, columns});
}

void cluster_distances(Device& device,
                       Rows<const float> points,
                       Rows<const float> centres,
                       View<const std::int32_t> cluster_of,
                       View<float> distances) {
  require_equal("cluster_distances", "columns of centres", points.columns, centres.columns);
  require_equal("cluster_distances", "clusters of rows", points.rows, cluster_of.size);
  require_equal("cluster_distances", "distances", points.rows, distances.size);
  launch_rows(device, points.rows, points.columns - 1,
              ClusterDistances{points.data, centres.data, cluster_of.data, distances.data,
                               to_int("cluster_distances", points.columns - 1)});
}

}  // namespace opencd::kernels
