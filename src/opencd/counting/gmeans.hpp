// G-means (Hamerly and Elkan, "Learning the k in k-means", NeurIPS 2003): a cluster is cut in two
// where its rows, along the line between the centres of its two halves, are not normally distributed by
// the test of Anderson and Darling.
#pragma once

#include "opencd/counting/growing_clusters.hpp"

namespace opencd {

/// A cut needs A^2 (1 + 4 / n - 25 / n^2) above this: so large an A^2 has a normal sample once in 10,000.
inline constexpr double kGMeansCritical = 1.8692;
/// The same as a p-value, which `gmeans_split` asks for.
inline constexpr double kGMeansLevel = 1e-4;

/// As published: from one cluster on, until none is cut. Halves begin along the cluster's longest axis,
/// the rows that find the line are tested along it, and k-means over all rows begins at the centres that
/// there are. Takes no draw: `tries` and `seed` change nothing.
KMeansResult gmeans(const nn::Engine& engine,
                    kernels::Rows<const float> rows,
                    const GrowthOptions& options,
                    const CountingWatch& watch);

/// Ours: half of a cluster's rows find the line, the other half are tested along it. Rows that find a line
/// lie aside of it: tested on themselves, one Gaussian of 1,000 rows in 200 dimensions looks like two.
KMeansResult gmeans_split(const nn::Engine& engine,
                          kernels::Rows<const float> rows,
                          const GrowthOptions& options,
                          const CountingWatch& watch);

}  // namespace opencd
