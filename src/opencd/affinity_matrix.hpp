// The graph that grouping works on: nodes are prototypes, W[i][j] >= 0 says how alike two of them
// are. Made once from what the device computed; every algorithm may then rely on it.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace opencd {

/// A square, finite, symmetric, non-negative matrix in double precision.
class AffinityMatrix {
 public:
  /// `values` is size x size, row-major. Differences to symmetry and to non-negativity that
  /// rounding explains (1e-5) are evened out; larger ones throw ShapeError, NaN and infinity
  /// NonFiniteError.
  AffinityMatrix(std::span<const float> values, std::size_t size);
  AffinityMatrix(std::span<const double> values, std::size_t size);

  std::size_t size() const { return size_; }
  double at(std::size_t i, std::size_t j) const { return values_[i * size_ + j]; }
  std::span<const double> row(std::size_t i) const { return values().subspan(i * size_, size_); }
  std::span<const double> values() const { return values_; }

 private:
  std::size_t size_ = 0;
  std::vector<double> values_;
};

}  // namespace opencd
