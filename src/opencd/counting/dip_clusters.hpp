// The host's part of DipDECK: clusters of embedded rows, the dip test between every two of them,
// and which of them are one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace opencd {

class DipClusters {
 public:
  /// `embedded` is row-major; every cluster number below `clusters` may occur in `cluster_of`.
  /// Clusters without a row go, the others keep their order.
  DipClusters(std::vector<float> embedded,
              std::size_t columns,
              std::vector<std::int32_t> cluster_of,
              std::size_t clusters);

  /// The rows have moved: every row belongs to the centre nearest to it now, then centres and tests
  /// are made anew.
  void follow(std::vector<float> embedded);

  /// Merges the two clusters whose p-value is the largest, while that is `threshold` or more. How
  /// many times that happened.
  std::size_t merge_alike(double threshold);

  std::size_t count() const { return centre_rows_.size(); }
  /// A centre is the row nearest to the mean of its cluster, so that it can be embedded again.
  const std::vector<std::size_t>& centre_rows() const { return centre_rows_; }
  const std::vector<std::int32_t>& cluster_of() const { return cluster_of_; }
  const std::vector<float>& embedded() const { return embedded_; }
  /// The probability that two clusters are one, by the dip of their rows along the line between
  /// their centres; count x count, 0 on the diagonal.
  const std::vector<double>& p_values() const { return p_values_; }
  /// How much a row of one cluster belongs to another: p-values and 1 for its own, rows summing to
  /// 1.
  std::vector<double> belonging() const;

 private:
  std::span<const float> row(std::size_t i) const {
    return std::span(embedded_).subspan(i * columns_, columns_);
  }
  void drop_empty(std::size_t clusters);
  void place_centres();
  std::size_t nearest_row(std::span<const double> point) const;
  void test_all();
  void test_pairs_of(std::size_t cluster);
  double pair_p_value(std::size_t a, std::size_t b) const;
  double p_value_along(std::size_t a,
                       std::size_t b,
                       std::span<const std::size_t> rows_a,
                       std::span<const std::size_t> rows_b) const;
  std::vector<std::size_t> nearest_members(std::size_t cluster,
                                           std::size_t centre,
                                           std::size_t count) const;
  void merge(std::size_t a, std::size_t b);

  std::vector<float> embedded_;
  std::size_t columns_;
  std::vector<std::int32_t> cluster_of_;
  std::vector<std::vector<std::size_t>> members_;
  std::vector<std::size_t> centre_rows_;
  std::vector<double> p_values_;
};

}  // namespace opencd
