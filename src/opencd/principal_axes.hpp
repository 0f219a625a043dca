// Principal component analysis from a covariance: the directions of the largest variance.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace opencd {

/// The eigenvectors of the `count` largest eigenvalues of a symmetric `size` x `size` matrix, largest
/// first, as unit rows; the largest entry of each is positive.
std::vector<float> principal_axes(std::span<const double> covariance,
                                  std::size_t size,
                                  std::size_t count);

}  // namespace opencd
