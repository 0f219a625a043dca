#include "opencd/grouping/spectral.hpp"

#include "error.hpp"
#include "opencd/grouping/kmeans.hpp"

#include <Eigen/Eigenvalues>

#include <cmath>

namespace opencd {

namespace {

using Eigen::Index;

/// Diagonal of D^1/2; 1 for a prototype without any affinity.
Eigen::VectorXd root_degrees(const AffinityMatrix& affinity) {
  const auto size = static_cast<Index>(affinity.size());
  const Eigen::Map<const Eigen::MatrixXd> W(affinity.values().data(), size, size);
  const Eigen::VectorXd degrees = W.colwise().sum().transpose() - W.diagonal();
  return (degrees.array() > 0.0).select(degrees.array().sqrt(), 1.0);
}

Eigen::MatrixXd normalised_laplacian(const AffinityMatrix& affinity, const Eigen::VectorXd& root) {
  const auto size = static_cast<Index>(affinity.size());
  const Eigen::Map<const Eigen::MatrixXd> W(affinity.values().data(), size, size);
  const Eigen::VectorXd inverse = root.cwiseInverse();
  Eigen::MatrixXd L = -(inverse.asDiagonal() * W * inverse.asDiagonal());
  L.diagonal().setOnes();
  return L;
}

}  // namespace

SpectralGraph::SpectralGraph(const AffinityMatrix& affinity)
    : prototypes_(affinity.size()), vectors_(affinity.size() * affinity.size()) {
  const Eigen::VectorXd root = root_degrees(affinity);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(normalised_laplacian(affinity, root));
  if (solver.info() != Eigen::Success)
    fail<NonFiniteError>("[spectral] the eigenvectors of {} prototypes did not converge",
                         prototypes_);
  for (std::size_t d = 0; d < prototypes_; ++d) {
    const Eigen::VectorXd vector =
        solver.eigenvectors().col(static_cast<Index>(d)).cwiseQuotient(root);
    Index largest = 0;
    vector.cwiseAbs().maxCoeff(&largest);
    const double sign = vector[largest] < 0.0 ? -1.0 : 1.0;
    for (std::size_t i = 0; i < prototypes_; ++i)
      vectors_[d * prototypes_ + i] = sign * vector[static_cast<Index>(i)];
  }
}

std::vector<double> SpectralGraph::embedding(std::size_t dimensions) const {
  if (dimensions == 0 || dimensions > prototypes_)
    fail<UsageError>(
        "[spectral] {} prototypes do not make {} groups; expected at least one group "
        "and no more than prototypes",
        prototypes_, dimensions);
  std::vector<double> rows(prototypes_ * dimensions);
  for (std::size_t d = 0; d < dimensions; ++d)
    for (std::size_t i = 0; i < prototypes_; ++i)
      rows[i * dimensions + d] = vectors_[d * prototypes_ + i];
  return rows;
}

Grouping SpectralGraph::groups(const SpectralOptions& options) const {
  const std::vector<double> rows = embedding(options.groups);
  const RowKMeansOptions kmeans{
      .clusters = options.groups, .starts = options.starts, .seed = options.seed};
  return number_groups(row_kmeans(rows, options.groups, kmeans).cluster_of);
}

Grouping spectral(const AffinityMatrix& affinity, const SpectralOptions& options) {
  return SpectralGraph(affinity).groups(options);
}

}  // namespace opencd
