// Spectral clustering for a known number of groups, step by step as scikit-learn 1.2 does it:
// eigenvectors of the normalised Laplacian  L = I - D^-1/2 W D^-1/2  as coordinates, k-means on
// them.
#pragma once

#include "opencd/affinity_matrix.hpp"
#include "opencd/grouping/grouping.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace opencd {

struct SpectralOptions {
  std::size_t groups = 0;
  int starts = 10;  // of k-means
  std::uint32_t seed = 0;
};

/// The eigenvectors of one graph, found once, from which groups of any number are made.
class SpectralGraph {
 public:
  /// NonFiniteError if the eigenvectors do not converge.
  explicit SpectralGraph(const AffinityMatrix& affinity);

  std::size_t prototypes() const { return prototypes_; }
  /// One row per prototype, row-major: D^-1/2 times the eigenvectors of the smallest eigenvalues, the
  /// first included, each with its largest entry positive. W's diagonal does not count. A prototype
  /// without any affinity gets zeros, where the sought eigenvalues are below 1. Throws UsageError
  /// unless 1 <= dimensions <= prototypes.
  std::vector<double> embedding(std::size_t dimensions) const;
  /// Fewer groups come back only if the embedding has fewer different rows. Throws UsageError unless
  /// 1 <= groups <= prototypes.
  Grouping groups(const SpectralOptions& options) const;

 private:
  std::size_t prototypes_;
  std::vector<double> vectors_;  // an eigenvector a row, in ascending order of its eigenvalue
};

/// Groups of one number.
Grouping spectral(const AffinityMatrix& affinity, const SpectralOptions& options);

}  // namespace opencd
