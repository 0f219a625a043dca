#include "opencd/kmeans_points.hpp"

#include "kernels/columns.hpp"
#include "kernels/scratch.hpp"

#include <cmath>
#include <numeric>

namespace opencd {

KMeansPoints::KMeansPoints(const nn::Engine& engine, Rows<const float> rows)
    : engine_(engine),
      count_(rows.rows),
      dimensions_(rows.columns),
      origin_(engine.device(), rows.columns),
      points_(engine.device(), rows.rows * (rows.columns + 1)),
      squares_(engine.device(), rows.rows) {
  if (rows.size() == 0)
    fail<UsageError>("[k-means] expected rows to cluster, got {} rows of {} values", rows.rows,
                     rows.columns);
  kernels::Scratch scratch(device(), kernels::column_scratch_bytes(rows.rows, rows.columns));
  kernels::column_mean(device(), scratch, rows, origin_);
  kernels::extend_rows(device(), rows, origin_, points_.rows(count_, dimensions_ + 1), squares_);
  host_squares_ = to_host(device(), squares_);
  for (std::size_t row = 0; row < count_; ++row)
    if (!std::isfinite(host_squares_[row]))
      fail<NonFiniteError>("[k-means] expected finite rows, row {} or the mean of all is not", row);
}

double KMeansPoints::variance() const {
  return std::accumulate(host_squares_.begin(), host_squares_.end(), 0.0) /
         static_cast<double>(count_ * dimensions_);
}

std::vector<float> KMeansPoints::to_rows(const Buffer<float>& centres) const {
  const std::vector<float> origin = to_host(device(), origin_);
  const std::vector<float> extended = to_host(device(), centres);
  std::vector<float> rows;
  for (std::size_t i = 0; i < extended.size(); ++i)
    if (const std::size_t c = i % (dimensions_ + 1); c < dimensions_)
      rows.push_back(extended[i] + origin[c]);
  return rows;
}

}  // namespace opencd
