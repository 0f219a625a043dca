#include "opencd/principal_axes.hpp"

#include "error.hpp"

#include <Eigen/Eigenvalues>

namespace opencd {

std::vector<float> principal_axes(std::span<const double> covariance,
                                  std::size_t size,
                                  std::size_t count) {
  if (covariance.size() != size * size || count > size)
    fail<ShapeError>("[principal axes] expected {} x {} entries and at most {} axes, got {} and {}",
                     size, size, size, covariance.size(), count);
  const auto n = static_cast<Eigen::Index>(size);
  const Eigen::Map<const Eigen::MatrixXd> matrix(covariance.data(), n, n);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(matrix);
  std::vector<float> axes;
  axes.reserve(count * size);
  for (std::size_t axis = 0; axis < count; ++axis) {
    const auto column = n - 1 - static_cast<Eigen::Index>(axis);  // smallest first
    const Eigen::VectorXd vector = solver.eigenvectors().col(column);
    Eigen::Index largest = 0;
    vector.cwiseAbs().maxCoeff(&largest);
    const double sign = vector[largest] < 0.0 ? -1.0 : 1.0;
    for (Eigen::Index i = 0; i < n; ++i) axes.push_back(static_cast<float>(sign * vector[i]));
  }
  return axes;
}

}  // namespace opencd
