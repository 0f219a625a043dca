// The rows that k-means clusters, as it wants them on the device, and the products of all of them
// with centres.
#pragma once

#include "kernels/kmeans.hpp"
#include "nn/engine.hpp"

#include <vector>

namespace opencd {

using kernels::Buffer;
using kernels::Rows;
using kernels::View;

/// Owns a copy of the rows about their mean, with a 1 appended (kernels/kmeans.hpp).
class KMeansPoints {
 public:
  /// Throws NonFiniteError that names the row if one is not finite.
  KMeansPoints(const nn::Engine& engine, Rows<const float> rows);

  const nn::Engine& engine() const { return engine_; }
  kernels::Device& device() const { return engine_.device(); }
  std::size_t count() const { return count_; }
  std::size_t dimensions() const { return dimensions_; }

  Rows<const float> points() const { return points_.rows(count_, dimensions_ + 1); }
  View<const float> squares() const { return squares_; }
  /// The mean of all rows, which points are about.
  View<const float> origin() const { return origin_; }
  /// The same on the host: the squared distance of every row to the mean of all.
  const std::vector<float>& host_squares() const { return host_squares_; }
  /// Of a dimension, the mean over the dimensions.
  double variance() const;

  /// Centres on the device become rows of the user's space: clusters x dimensions.
  std::vector<float> to_rows(const Buffer<float>& centres) const;

 private:
  const nn::Engine& engine_;
  std::size_t count_;
  std::size_t dimensions_;
  Buffer<float> origin_;
  Buffer<float> points_;
  Buffer<float> squares_;
  std::vector<float> host_squares_;
};

}  // namespace opencd
