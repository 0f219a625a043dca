// What k-means needs beside matrix products and arg-max. Points are rows about an origin with a 1
// appended, centres have -|c|^2 / 2 appended, so that |x - c|^2 = |x|^2 - 2 x~ . c~; see
// kernels/device/kmeans.hpp.
#pragma once

#include "kernels/memory.hpp"

#include <cstdint>

namespace opencd::kernels {

/// points = (src - origin, 1); squares = their squared lengths without the 1.
void extend_rows(Device& device,
                 Rows<const float> src,
                 View<const float> origin,
                 Rows<float> points,
                 View<float> squares);

/// centres[j] = the point rows[j], as a centre.
void rows_as_centres(Device& device,
                     Rows<const float> points,
                     View<const float> squares,
                     View<const std::int32_t> rows,
                     Rows<float> centres);

/// `products` of points with the candidates of several starts, the same number of trials for each,
/// become squared distances to the nearest of `nearest` (rows x starts) and the candidate.
void candidate_distances(Device& device,
                         View<const float> squares,
                         Rows<const float> nearest,
                         Rows<float> products);

/// nearest[row][start] = distances[row][chosen[start]].
void keep_candidates(Device& device,
                     Rows<const float> distances,
                     View<const std::int32_t> chosen,
                     Rows<float> nearest);

/// Rows listed cluster by cluster, in slices that no two clusters share.
struct ClusterSlices {
  View<const std::int32_t> order;   // rows, cluster by cluster
  View<const std::int32_t> slices;  // slice s owns order[slices[s]] .. order[slices[s + 1] - 1]
  View<const std::int32_t> first_slice;  // cluster c owns the slices first_slice[c] ..
                                         // first_slice[c + 1] - 1
};

/// Centres become the means of their clusters, moved[c] the squared way of centre c. `partial` has
/// room for one sum a slice.
void move_centres(Device& device,
                  Rows<const float> points,
                  const ClusterSlices& clusters,
                  Rows<float> partial,
                  Rows<float> centres,
                  View<float> moved);

/// Squared distances of the points to the centres of their clusters.
void cluster_distances(Device& device,
                       Rows<const float> points,
                       Rows<const float> centres,
                       View<const std::int32_t> cluster_of,
                       View<float> distances);

}  // namespace opencd::kernels
