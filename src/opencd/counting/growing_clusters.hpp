// What X-means and G-means share: k-means whose clusters are cut in two as long as a criterion asks
// for it. After every sweep over the clusters, k-means runs over all rows from the new centres, and, if
// that is asked for, from starts of its own; the better end counts.
#pragma once

#include "opencd/counting/counting_watch.hpp"
#include "opencd/kmeans.hpp"

#include <functional>

namespace opencd {

/// How 2-means begins in a cluster: by k-means++, `tries` times, or once from the two places where a
/// Gaussian's halves would have their centres, mean +- sqrt(2 variance / pi) along its longest axis.
enum class HalvesFrom { several_starts, longest_axis };

struct GrowthOptions {
  std::size_t most = 0;  // clusters
  int tries = 10;        // starts of k-means, in a cluster and over all rows
  std::uint32_t seed = 0;
  HalvesFrom halves_from = HalvesFrom::several_starts;
  bool fresh_starts = true;                      // over all rows
  double tolerance = KMeansOptions{}.tolerance;  // from centres that there are; 0: until none moves
};

/// A cluster and how k-means would cut it.
struct ClusterSplit {
  const nn::Engine& engine;
  kernels::Rows<const float> members;
  double inertia = 0.0;  // of the cluster as it is
  KMeansResult halves;   // neither is empty
};

using SplitCriterion = std::function<bool(const ClusterSplit&)>;
/// Sees the clusters at the start and after every sweep.
using SweepObserver = std::function<void(const KMeansResult&)>;

/// Ends when no cluster is cut or there are `most`. Clusters of fewer than 3 rows and those of
/// equal rows stay as they are.
KMeansResult grow_clusters(const nn::Engine& engine,
                           kernels::Rows<const float> rows,
                           KMeansResult clusters,
                           const GrowthOptions& options,
                           const SplitCriterion& criterion,
                           const SweepObserver& observe,
                           const CountingWatch& watch);

/// The rows of these numbers.
kernels::Buffer<float> gather_rows(kernels::Device& device,
                                   kernels::Rows<const float> rows,
                                   const std::vector<std::int32_t>& chosen);

/// Rows of every cluster.
std::vector<std::size_t> cluster_sizes(const KMeansResult& clusters, std::size_t columns);

}  // namespace opencd
