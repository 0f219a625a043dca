// X-means (Pelleg and Moore, "X-means: extending k-means with efficient estimation of the number of
// clusters", ICML 2000): a cluster is cut in two where the Bayesian information criterion of two
// spherical Gaussians is above that of one.
#pragma once

#include "opencd/counting/growing_clusters.hpp"

namespace opencd {

/// Of clusters of `sizes` rows that are `inertia` about their centres, all of one variance:
///   sum_i (n_i ln n_i - n_i ln n - n_i/2 ln 2 pi - n_i d/2 ln v - (n_i - k)/2) - k (d + 1)/2 ln n,
/// v = inertia / (n - k); infinite where nothing varies. More is better.
double information_criterion(std::span<const std::size_t> sizes,
                             double inertia,
                             std::size_t dimensions);

/// From two clusters on, until none is cut; the clusters with the best criterion that were seen on
/// the way, a single one included.
KMeansResult xmeans(const nn::Engine& engine,
                    kernels::Rows<const float> rows,
                    const GrowthOptions& options,
                    const CountingWatch& watch);

}  // namespace opencd
