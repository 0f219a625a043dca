#include "opencd/grouping/kmeans.hpp"

#include "error.hpp"
#include "opencd/grouping/empty_clusters.hpp"
#include "opencd/grouping/random_sequence.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace opencd {

namespace {

/// dst[j * rows + i] = src[i * columns + j]
std::vector<double> transpose(std::span<const double> src, std::size_t rows, std::size_t columns) {
  std::vector<double> dst(src.size());
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) dst[j * rows + i] = src[i * columns + j];
  return dst;
}

/// Squared distances of `point` to all points of a transposed list: the inner loop runs over
/// points, so that it can be vectorised without changing the order of any sum.
void squared_distances(std::span<const double> point,
                       std::span<const double> transposed,
                       std::span<double> distances) {
  std::fill(distances.begin(), distances.end(), 0.0);
  for (std::size_t d = 0; d < point.size(); ++d) {
    const double* column = &transposed[d * distances.size()];
    for (std::size_t i = 0; i < distances.size(); ++i) {
      const double difference = point[d] - column[i];
      distances[i] += difference * difference;
    }
  }
}

/// The rows to cluster, both ways round.
struct Points {
  std::span<const double> rows;
  std::size_t dimensions = 0;
  std::size_t count = 0;
  std::vector<double> transposed;

  std::span<const double> row(std::size_t i) const {
    return rows.subspan(i * dimensions, dimensions);
  }

  /// Mean over the dimensions.
  double variance() const {
    double sum = 0.0;
    for (std::size_t d = 0; d < dimensions; ++d) {
      const std::span<const double> column = std::span(transposed).subspan(d * count, count);
      const double mean =
          std::accumulate(column.begin(), column.end(), 0.0) / static_cast<double>(count);
      for (const double value : column) sum += (value - mean) * (value - mean);
    }
    return sum / static_cast<double>(count * dimensions);
  }
};

/// The rows that k-means++ starts from: each is drawn with a probability that grows with the
/// squared distance to those before, and is the best of a few such draws.
class StartingRows {
 public:
  StartingRows(const Points& points, RandomSequence& random)
      : points_(points),
        random_(random),
        nearest_(points.count, std::numeric_limits<double>::infinity()) {}

  std::vector<std::size_t> choose(std::size_t clusters) {
    const int trials = 2 + static_cast<int>(std::log(static_cast<double>(clusters)));
    std::vector<std::size_t> chosen = {
        to_below(random_.word(), static_cast<std::uint32_t>(points_.count))};
    nearest_ = with(chosen.front());
    while (chosen.size() < clusters) {
      const double potential = sum(nearest_);
      std::vector<double> best;
      double best_potential = std::numeric_limits<double>::infinity();
      chosen.push_back(0);
      for (int trial = 0; trial < trials; ++trial) {
        const std::size_t row = draw(potential);
        std::vector<double> distances = with(row);
        if (const double left = sum(distances); left < best_potential) {
          best_potential = left;
          best = std::move(distances);
          chosen.back() = row;
        }
      }
      nearest_ = std::move(best);
    }
    return chosen;
  }

 private:
  static double sum(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0);
  }

  /// Squared distances to the nearest of the chosen rows and `row`.
  std::vector<double> with(std::size_t row) const {
    std::vector<double> distances(points_.count);
    squared_distances(points_.row(row), points_.transposed, distances);
    for (std::size_t i = 0; i < distances.size(); ++i)
      distances[i] = std::min(distances[i], nearest_[i]);
    return distances;
  }

  std::size_t draw(double potential) {
    const double target = random_.unit() * potential;
    double reached = 0.0;
    for (std::size_t i = 0; i < nearest_.size(); ++i) {
      reached += nearest_[i];
      if (reached > target) return i;
    }
    return nearest_.size() - 1;  // all rows are chosen already, or rounding
  }

  const Points& points_;
  RandomSequence& random_;
  std::vector<double> nearest_;  // squared distance of every row to the nearest chosen one
};

/// Lloyd's iterations of one start.
class Lloyd {
 public:
  Lloyd(const Points& points, const std::vector<std::size_t>& starting_rows)
      : points_(points),
        clusters_(starting_rows.size()),
        cluster_of_(points.count, -1),
        distance_(points.count, 0.0) {
    for (const std::size_t row : starting_rows)
      centres_.insert(centres_.end(), points.row(row).begin(), points.row(row).end());
  }

  RowKMeansResult run(int iterations, double tolerance) {
    bool changed = assign_rows();
    for (int i = 0; i < iterations && changed; ++i) {
      const double shift = move_centres();
      changed = assign_rows() && shift > tolerance;
    }
    return {cluster_of_, std::accumulate(distance_.begin(), distance_.end(), 0.0)};
  }

 private:
  /// Every row to its nearest centre, the first of equally near ones; whether any changed.
  bool assign_rows() {
    const std::vector<double> transposed = transpose(centres_, clusters_, points_.dimensions);
    std::vector<double> distances(clusters_);
    bool changed = false;
    for (std::size_t i = 0; i < points_.count; ++i) {
      squared_distances(points_.row(i), transposed, distances);
      const auto nearest = std::min_element(distances.begin(), distances.end());
      const auto cluster = static_cast<std::int32_t>(nearest - distances.begin());
      changed |= cluster != cluster_of_[i];
      cluster_of_[i] = cluster;
      distance_[i] = *nearest;
    }
    return changed;
  }

  /// Centres become means; the sum of their squared moves.
  double move_centres() {
    std::vector<std::int32_t> cluster_of = cluster_of_;
    std::vector<std::size_t> sizes(clusters_, 0);
    for (const std::int32_t cluster : cluster_of) ++sizes[static_cast<std::size_t>(cluster)];
    fill_empty_clusters(cluster_of, sizes, distance_);
    std::vector<double> means(centres_.size(), 0.0);
    for (std::size_t i = 0; i < points_.count; ++i) {
      double* mean = &means[static_cast<std::size_t>(cluster_of[i]) * points_.dimensions];
      for (std::size_t d = 0; d < points_.dimensions; ++d) mean[d] += points_.row(i)[d];
    }
    double shift = 0.0;
    for (std::size_t at = 0; at < means.size(); ++at) {
      const std::size_t size = sizes[at / points_.dimensions];
      const double mean = size == 0 ? centres_[at] : means[at] / static_cast<double>(size);
      shift += (mean - centres_[at]) * (mean - centres_[at]);
      centres_[at] = mean;
    }
    return shift;
  }

  const Points& points_;
  std::size_t clusters_;
  std::vector<double> centres_;  // clusters x dimensions
  std::vector<std::int32_t> cluster_of_;
  std::vector<double> distance_;  // squared, of every row to its centre
};

}  // namespace

RowKMeansResult row_kmeans(std::span<const double> rows,
                           std::size_t dimensions,
                           const RowKMeansOptions& options) {
  if (dimensions == 0 || rows.size() % dimensions != 0)
    fail<ShapeError>("[k-means] expected rows of {} values, got {} values", dimensions,
                     rows.size());
  const std::size_t count = rows.size() / dimensions;
  if (options.clusters == 0 || options.clusters > count || options.starts < 1)
    fail<UsageError>("[k-means] {} clusters of {} rows in {} starts are impossible",
                     options.clusters, count, options.starts);
  const Points points{rows, dimensions, count, transpose(rows, count, dimensions)};
  const double tolerance = options.tolerance * points.variance();
  RowKMeansResult best{{}, std::numeric_limits<double>::infinity()};
  for (int start = 0; start < options.starts; ++start) {
    RandomSequence random(options.seed, static_cast<std::uint64_t>(start));
    Lloyd lloyd(points, StartingRows(points, random).choose(options.clusters));
    RowKMeansResult found = lloyd.run(options.iterations, tolerance);
    if (found.inertia < best.inertia) best = std::move(found);
  }
  return best;
}

}  // namespace opencd
