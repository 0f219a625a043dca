#include "opencd/kmeans.hpp"

#include "kernels/check.hpp"
#include "kernels/kmeans.hpp"
#include "kernels/top_k.hpp"
#include "nn/gemm.hpp"
#include "opencd/grouping/empty_clusters.hpp"
#include "opencd/kmeans_points.hpp"
#include "opencd/kmeans_start.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace opencd {

namespace {

constexpr std::size_t kMostProducts = std::size_t{8} << 20;  // held at a time: 32 MiB
constexpr std::size_t kRowsASlice = 256;

/// Lloyd's iterations. Products, nearest centres and means are the device's work; the host sorts
/// rows by cluster.
class Lloyd {
 public:
  /// pinned[i] is the cluster that row i must stay in, or -1.
  Lloyd(const KMeansPoints& points, std::size_t clusters, std::vector<std::int32_t> pinned)
      : points_(points),
        clusters_(clusters),
        pinned_(std::move(pinned)),
        block_(std::clamp<std::size_t>(kMostProducts / clusters, 1, points.count())),
        most_slices_(points.count() / kRowsASlice + clusters),
        products_(device(), block_ * clusters),
        cluster_of_(device(), points.count()),
        likeness_(device(), points.count()),
        order_(device(), points.count()),
        slices_(device(), most_slices_ + 1),
        first_slice_(device(), clusters + 1),
        partial_(device(), most_slices_ * points.dimensions()),
        centres_(device(), clusters * (points.dimensions() + 1)),
        moved_(device(), clusters) {}

  std::vector<std::size_t> pinned_sizes() const { return sizes_of(pinned_); }

  /// Clusters with pinned rows start at the mean of those; the others, in order, at `rows`. Those
  /// that neither is there for are infinitely far from every row.
  void start_at(std::span<const std::int32_t> rows) {
    kernels::copy_to_device<float>(device(), far_centres(), centres_);
    const std::vector<std::size_t> sizes = pinned_sizes();
    move_centres(pinned_, sizes);
    for (std::size_t cluster = 0; cluster < clusters_; ++cluster) {
      if (sizes[cluster] > 0 || rows.empty()) continue;
      const View<std::int32_t> row = order_.view().slice(0, 1);
      kernels::copy_to_device(device(), rows.first(1), row);
      kernels::rows_as_centres(device(), points_.points(), points_.squares(), row, centre(cluster));
      rows = rows.subspan(1);
    }
    host_clusters_.assign(points_.count(), -1);
  }

  /// All clusters start at `rows` of the user's space.
  void start_at_centres(std::span<const float> rows) {
    const auto src = to_device(device(), std::vector<float>(rows.begin(), rows.end()));
    const Buffer<float> points(device(), centres_.size());
    const Buffer<float> squares(device(), clusters_);
    const Rows<float> extended = points.rows(clusters_, points_.dimensions() + 1);
    kernels::extend_rows(device(), src.rows(clusters_, points_.dimensions()), points_.origin(),
                         extended, squares);
    std::vector<std::int32_t> all(clusters_);
    std::iota(all.begin(), all.end(), 0);
    kernels::rows_as_centres(device(), extended, squares, to_device(device(), all), centres());
    host_clusters_.assign(points_.count(), -1);
  }

  /// Squared distances of unpinned rows to the nearest centre that has pinned rows, 0 for pinned
  /// ones.
  std::vector<float> distances_to_pinned() {
    start_at({});
    assign_rows();
    const std::vector<double> distances = distances_of_free_rows();
    return {distances.begin(), distances.end()};
  }

  KMeansResult run(int iterations, double tolerance) {
    KMeansResult result;
    bool changed = assign_rows();
    for (; result.iterations < iterations && changed; ++result.iterations) {
      const double shift = move_centres();
      changed = assign_rows() && shift > tolerance;
    }
    result.cluster_of = host_clusters_;
    result.centres = points_.to_rows(centres_);
    result.inertia = inertia();
    return result;
  }

 private:
  kernels::Device& device() const { return points_.device(); }
  Rows<float> centres() const { return centres_.rows(clusters_, points_.dimensions() + 1); }
  Rows<float> centre(std::size_t cluster) const {
    const std::size_t columns = points_.dimensions() + 1;
    return {centres_.data() + cluster * columns, 1, columns};
  }

  /// (0, -infinity) for every cluster.
  std::vector<float> far_centres() const {
    std::vector<float> values(centres_.size(), 0.0f);
    for (std::size_t i = points_.dimensions(); i < values.size(); i += points_.dimensions() + 1)
      values[i] = -std::numeric_limits<float>::infinity();
    return values;
  }

  std::vector<std::size_t> sizes_of(const std::vector<std::int32_t>& cluster_of) const {
    std::vector<std::size_t> sizes(clusters_, 0);
    for (const std::int32_t cluster : cluster_of)
      if (cluster >= 0) ++sizes[static_cast<std::size_t>(cluster)];
    return sizes;
  }

  /// Every row to its nearest centre, the first of equally near ones, pinned rows to theirs; whether
  /// any changed.
  bool assign_rows() {
    const Rows<const float> points = points_.points();
    for (std::size_t first = 0; first < points.rows; first += block_) {
      const std::size_t count = std::min(block_, points.rows - first);
      const Rows<const float> block{points.data + first * points.columns, count, points.columns};
      const Rows<float> products{products_.data(), count, clusters_};
      nn::gemm(points_.engine(), block, centres(), products, {.transpose_right = true});
      kernels::top_k_rows(device(), products, {cluster_of_.data() + first, count, 1},
                          {likeness_.data() + first, count, 1});
    }
    std::vector<std::int32_t> found = to_host(device(), cluster_of_);
    for (std::size_t row = 0; row < found.size(); ++row)
      if (pinned_[row] >= 0) found[row] = pinned_[row];
    const bool changed = found != host_clusters_;
    host_clusters_ = std::move(found);
    return changed;
  }

  /// Centres become means; the sum of their squared moves.
  double move_centres() {
    std::vector<std::int32_t> cluster_of = host_clusters_;
    std::vector<std::size_t> sizes = sizes_of(cluster_of);
    if (std::find(sizes.begin(), sizes.end(), 0) != sizes.end())
      fill_empty_clusters(cluster_of, sizes, distances_of_free_rows());
    return move_centres(cluster_of, sizes);
  }

  double move_centres(const std::vector<std::int32_t>& cluster_of,
                      const std::vector<std::size_t>& sizes) {
    std::vector<std::int32_t> slices = {0};
    std::vector<std::int32_t> first_slice = {0};
    for (const std::size_t size : sizes) {
      for (std::size_t left = size; left > 0; left -= std::min(left, kRowsASlice))
        slices.push_back(slices.back() + static_cast<std::int32_t>(std::min(left, kRowsASlice)));
      first_slice.push_back(static_cast<std::int32_t>(slices.size()) - 1);
    }
    kernels::copy_to_device<std::int32_t>(device(), rows_by_cluster(cluster_of, sizes), order_);
    kernels::copy_to_device<std::int32_t>(device(), slices, slices_.view().slice(0, slices.size()));
    kernels::copy_to_device<std::int32_t>(device(), first_slice, first_slice_);
    kernels::move_centres(
        device(), points_.points(), {order_, slices_.view().slice(0, slices.size()), first_slice_},
        {partial_.data(), slices.size() - 1, points_.dimensions()}, centres(), moved_);
    const std::vector<float> moved = to_host(device(), moved_);
    return std::accumulate(moved.begin(), moved.end(), 0.0);
  }

  /// Ascending within a cluster; rows of no cluster come last.
  std::vector<std::int32_t> rows_by_cluster(const std::vector<std::int32_t>& cluster_of,
                                            const std::vector<std::size_t>& sizes) const {
    std::vector<std::size_t> next(clusters_ + 1, 0);
    std::partial_sum(sizes.begin(), sizes.end(), next.begin() + 1);
    std::vector<std::int32_t> order(cluster_of.size());
    std::size_t without = next.back();
    for (std::size_t row = 0; row < order.size(); ++row) {
      const std::int32_t cluster = cluster_of[row];
      order[cluster < 0 ? without++ : next[static_cast<std::size_t>(cluster)]++] =
          static_cast<std::int32_t>(row);
    }
    return order;
  }

  /// Squared distances to the nearest centres, |x|^2 - 2 x~ . c~, as assign_rows left them; 0 for
  /// pinned rows.
  std::vector<double> distances_of_free_rows() const {
    const std::vector<float> likeness = to_host(device(), likeness_);
    std::vector<double> distances(likeness.size(), 0.0);
    for (std::size_t row = 0; row < distances.size(); ++row)
      if (pinned_[row] < 0)
        distances[row] = std::max(0.0, points_.host_squares()[row] - 2.0 * likeness[row]);
    return distances;
  }

  double inertia() {
    kernels::copy_to_device<std::int32_t>(device(), host_clusters_, cluster_of_);
    kernels::cluster_distances(device(), points_.points(), centres(), cluster_of_, likeness_);
    const std::vector<float> distances = to_host(device(), likeness_);
    return std::accumulate(distances.begin(), distances.end(), 0.0);
  }

  const KMeansPoints& points_;
  std::size_t clusters_;
  std::vector<std::int32_t> pinned_;
  std::size_t block_;
  std::size_t most_slices_;
  Buffer<float> products_;  // of a block of rows with all centres
  Buffer<std::int32_t> cluster_of_;
  Buffer<float> likeness_;  // of every row, x~ . c~ with its nearest centre
  Buffer<std::int32_t> order_;
  Buffer<std::int32_t> slices_;
  Buffer<std::int32_t> first_slice_;
  Buffer<float> partial_;
  Buffer<float> centres_;
  Buffer<float> moved_;
  std::vector<std::int32_t> host_clusters_;
};

void check(std::size_t rows,
           std::span<const std::int32_t> class_of_row,
           const KMeansOptions& options) {
  if (options.clusters == 0 || options.clusters > rows || options.starts < 1)
    fail<UsageError>("[k-means] {} clusters of {} rows in {} starts are impossible",
                     options.clusters, rows, options.starts);
  kernels::require_equal("k-means", "classes of rows", rows, class_of_row.size());
  for (std::size_t row = 0; row < rows; ++row)
    if (class_of_row[row] < -1 || class_of_row[row] >= static_cast<std::int32_t>(options.clusters))
      fail<UsageError>("[k-means] row {} has class {}, expected one of {} or -1", row,
                       class_of_row[row], options.clusters);
}

}  // namespace

KMeansResult kmeans(const nn::Engine& engine,
                    kernels::Rows<const float> rows,
                    const KMeansOptions& options) {
  return semi_supervised_kmeans(engine, rows, std::vector<std::int32_t>(rows.rows, -1), options);
}

KMeansResult kmeans_from(const nn::Engine& engine,
                         kernels::Rows<const float> rows,
                         std::span<const float> centres,
                         KMeansOptions options) {
  options.clusters = rows.columns == 0 ? 0 : centres.size() / rows.columns;
  options.starts = 1;
  const std::vector<std::int32_t> free(rows.rows, -1);
  check(rows.rows, free, options);
  kernels::require_equal("k-means", "values of centres", options.clusters * rows.columns,
                         centres.size());
  const KMeansPoints points(engine, rows);
  Lloyd lloyd(points, options.clusters, free);
  lloyd.start_at_centres(centres);
  return lloyd.run(options.iterations, options.tolerance * points.variance());
}

KMeansResult semi_supervised_kmeans(const nn::Engine& engine,
                                    kernels::Rows<const float> rows,
                                    std::span<const std::int32_t> class_of_row,
                                    const KMeansOptions& options) {
  check(rows.rows, class_of_row, options);
  const KMeansPoints points(engine, rows);
  Lloyd lloyd(points, options.clusters, {class_of_row.begin(), class_of_row.end()});
  const std::vector<std::size_t> pinned = lloyd.pinned_sizes();
  const auto open = static_cast<std::size_t>(std::count(pinned.begin(), pinned.end(), 0));
  const int starts = open == 0 ? 1 : options.starts;  // without a draw all starts are the same
  const auto chosen = starting_rows(points, lloyd.distances_to_pinned(),
                                    {.centres = open, .starts = starts, .seed = options.seed});
  KMeansResult best{{}, {}, std::numeric_limits<double>::infinity()};
  for (const std::vector<std::int32_t>& start : chosen) {
    lloyd.start_at(start);
    KMeansResult found = lloyd.run(options.iterations, options.tolerance * points.variance());
    if (found.inertia < best.inertia) best = std::move(found);
  }
  return best;
}

}  // namespace opencd
