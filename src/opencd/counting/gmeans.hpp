// G-means (Hamerly and Elkan, "Learning the k in k-means", NeurIPS 2003): a cluster is cut in two
// where its rows, along the line between the two halves, are not normally distributed by the test
// of Anderson and Darling. Other than in the paper, half of the rows find that line and the other half
// are tested along it.
#pragma once

#include "opencd/counting/growing_clusters.hpp"

namespace opencd {

/// A cut needs a p-value below this.
inline constexpr double kGMeansLevel = 1e-4;

/// From one cluster on, until none is cut.
KMeansResult gmeans(const nn::Engine& engine,
                    kernels::Rows<const float> rows,
                    const GrowthOptions& options,
                    const CountingWatch& watch);

}  // namespace opencd
