#include "opencd/affinity_matrix.hpp"

#include "error.hpp"

#include <algorithm>
#include <cmath>

namespace opencd {

namespace {

constexpr double kRounding = 1e-5;  // f32 affinities are at most about 1

template <class T>
std::vector<double> checked(std::span<const T> values, std::size_t size) {
  if (values.size() != size * size)
    fail<ShapeError>("[affinity] expected {} x {} entries, got {}", size, size, values.size());
  std::vector<double> result(values.begin(), values.end());
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      const double lower = result[i * size + j];
      const double upper = result[j * size + i];
      if (!std::isfinite(lower) || !std::isfinite(upper))
        fail<NonFiniteError>("[affinity] prototypes {} and {} have affinity {}", i, j,
                             std::isfinite(lower) ? upper : lower);
      if (std::abs(lower - upper) > kRounding)
        fail<ShapeError>(
            "[affinity] expected a symmetric matrix, got {} at ({}, {}), {} at ({}, {})", lower, i,
            j, upper, j, i);
      const double mean = 0.5 * (lower + upper);
      if (mean < -kRounding)
        fail<ShapeError>("[affinity] expected no negative entry, got {} at ({}, {})", mean, i, j);
      result[i * size + j] = result[j * size + i] = std::max(mean, 0.0);
    }
  return result;
}

}  // namespace

AffinityMatrix::AffinityMatrix(std::span<const float> values, std::size_t size)
    : size_(size), values_(checked(values, size)) {}

AffinityMatrix::AffinityMatrix(std::span<const double> values, std::size_t size)
    : size_(size), values_(checked(values, size)) {}

}  // namespace opencd
