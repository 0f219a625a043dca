// k-means on the device, for feature matrices of any size: the SimCLR + k-means baseline, GCD's
// semi-supervised k-means, and the search for the number of classes by clustering. The few rows of
// a spectral embedding go to grouping/kmeans.hpp, which stays on the host in double precision.
#pragma once

#include "kernels/memory.hpp"
#include "nn/engine.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace opencd {

struct KMeansOptions {
  std::size_t clusters = 0;
  int starts = 10;          // the one with the least inertia is returned
  int iterations = 300;     // at most, per start
  double tolerance = 1e-4;  // ends when centres move, squared and summed, by less than this share
                            // of the mean variance of a dimension
  std::uint32_t seed = 0;
};

struct KMeansResult {
  std::vector<std::int32_t> cluster_of;
  std::vector<float> centres;  // clusters x columns
  double inertia = 0.0;        // sum of squared distances to the centres
  int iterations = 0;          // of the start that was best
};

/// Greedy k-means++ starts (opencd/kmeans_start.hpp), then Lloyd's iterations; an empty cluster
/// takes the row farthest from its centre, and stays empty only if there are fewer different rows
/// than clusters. The same rows, options and device give the same bits. Takes device memory for a
/// copy of the rows and gives it back.
KMeansResult kmeans(const nn::Engine& engine,
                    kernels::Rows<const float> rows,
                    const KMeansOptions& options);

/// Lloyd's iterations from `centres` on, clusters x columns: one start, without a draw. The number
/// of clusters is that of the centres.
KMeansResult kmeans_from(const nn::Engine& engine,
                         kernels::Rows<const float> rows,
                         std::span<const float> centres,
                         KMeansOptions options = {});

/// GCD's semi-supervised k-means. class_of_row[i] is the known class of row i, or -1: a labelled
/// row stays in the cluster of its class. Clusters with labelled rows start at their mean, the
/// others by k-means++ over the unlabelled rows.
KMeansResult semi_supervised_kmeans(const nn::Engine& engine,
                                    kernels::Rows<const float> rows,
                                    std::span<const std::int32_t> class_of_row,
                                    const KMeansOptions& options);

}  // namespace opencd
