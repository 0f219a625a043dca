// From clusters in some space to predictions: the group of every row and how sure that is.
#pragma once

#include "opencd/grouping/grouping.hpp"
#include "opencd/prediction.hpp"

#include <vector>

namespace opencd {

/// Rows of a space, the cluster of each, and the clusters' centres.
struct Clusters {
  std::vector<float> rows;  // row-major
  std::size_t columns = 0;
  std::vector<std::int32_t> cluster_of;
  std::vector<float> centres;

  std::size_t count() const { return centres.size() / columns; }
};

/// Clusters that have rows, in their order.
Clusters without_empty(const Clusters& clusters);

/// Rows stay in their cluster, whose group `grouping` tells. Confidence and margin are posterior
/// probabilities of spherical Gaussians of one variance about the centres; likeness is the cosine
/// of row and centre about the mean of all rows.
std::vector<Prediction> predict_clusters(const Clusters& clusters, const Grouping& grouping);

}  // namespace opencd
