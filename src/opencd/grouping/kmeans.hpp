// k-means on the few rows of a spectral embedding, on the host in double precision.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace opencd {

struct RowKMeansOptions {
  std::size_t clusters = 0;
  int starts = 10;       // the one with the least inertia is returned
  int iterations = 300;  // at most, per start
  double tolerance =
      1e-4;  // ends when centres move, squared and summed, by less than this share of
             // the mean variance of a dimension
  std::uint32_t seed = 0;
};

/// A cluster may stay empty only if there are fewer different rows than clusters.
struct RowKMeansResult {
  std::vector<std::int32_t> cluster_of;
  double inertia = 0.0;  // sum of squared distances to the centres
};

/// `rows` is row-major with `dimensions` columns. Centres start by k-means++ with 2 + ln(clusters)
/// trials each (Arthur and Vassilvitskii, SODA 2007), then move as Lloyd's do; an empty cluster
/// takes the row farthest from its centre.
RowKMeansResult row_kmeans(std::span<const double> rows,
                           std::size_t dimensions,
                           const RowKMeansOptions& options);

}  // namespace opencd
