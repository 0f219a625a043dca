#include "opencd/counting/cluster_predictions.hpp"

#include "opencd/counting/distances.hpp"

#include <algorithm>
#include <cmath>

namespace opencd {

namespace {

double distance_to(const Clusters& clusters, std::size_t row, std::size_t cluster) {
  const std::size_t columns = clusters.columns;
  return squared_distance(std::span(clusters.rows).subspan(row * columns, columns),
                          std::span(clusters.centres).subspan(cluster * columns, columns));
}

std::size_t cluster_of(const Clusters& clusters, std::size_t row) {
  return static_cast<std::size_t>(clusters.cluster_of[row]);
}

/// Of one column, about the centres.
double variance_of(const Clusters& clusters) {
  double sum = 0.0;
  for (std::size_t row = 0; row < clusters.cluster_of.size(); ++row)
    sum += distance_to(clusters, row, cluster_of(clusters, row));
  return sum / static_cast<double>(std::max<std::size_t>(clusters.rows.size(), 1));
}

std::vector<double> mean_of(const Clusters& clusters) {
  std::vector<double> mean(clusters.columns, 0.0);
  for (std::size_t i = 0; i < clusters.rows.size(); ++i)
    mean[i % clusters.columns] +=
        clusters.rows[i] / static_cast<double>(clusters.cluster_of.size());
  return mean;
}

/// 0 where one of them is the mean itself.
double cosine_about(const std::vector<double>& mean, const float* x, const float* y) {
  double product = 0.0;
  double squares_x = 0.0;
  double squares_y = 0.0;
  for (std::size_t c = 0; c < mean.size(); ++c) {
    const double a = x[c] - mean[c];
    const double b = y[c] - mean[c];
    product += a * b;
    squares_x += a * a;
    squares_y += b * b;
  }
  const double lengths = std::sqrt(squares_x * squares_y);
  return lengths > 0.0 ? product / lengths : 0.0;
}

/// The probability of the row's own cluster and the largest of the others'.
struct Posterior {
  double own = 1.0;
  double other = 0.0;
};

Posterior posterior(const Clusters& clusters, std::size_t row, double variance) {
  const std::size_t own = cluster_of(clusters, row);
  if (variance <= 0.0) return {};
  std::vector<double> exponents(clusters.count());
  for (std::size_t k = 0; k < exponents.size(); ++k)
    exponents[k] = -distance_to(clusters, row, k) / (2.0 * variance);
  const double largest = *std::max_element(exponents.begin(), exponents.end());
  double sum = 0.0;
  double other = 0.0;
  for (std::size_t k = 0; k < exponents.size(); ++k) {
    const double weight = std::exp(exponents[k] - largest);
    sum += weight;
    if (k != own) other = std::max(other, weight);
  }
  return {std::exp(exponents[own] - largest) / sum, other / sum};
}

}  // namespace

Clusters without_empty(const Clusters& clusters) {
  std::vector<std::int32_t> number(clusters.count(), -1);
  for (const std::int32_t cluster : clusters.cluster_of)
    number[static_cast<std::size_t>(cluster)] = 0;
  Clusters kept{clusters.rows, clusters.columns, clusters.cluster_of, {}};
  std::int32_t next = 0;
  for (std::size_t k = 0; k < number.size(); ++k) {
    if (number[k] < 0) continue;
    number[k] = next++;
    const auto first = clusters.centres.begin() + static_cast<std::ptrdiff_t>(k * clusters.columns);
    kept.centres.insert(kept.centres.end(), first,
                        first + static_cast<std::ptrdiff_t>(clusters.columns));
  }
  for (std::int32_t& cluster : kept.cluster_of) cluster = number[static_cast<std::size_t>(cluster)];
  return kept;
}

std::vector<Prediction> predict_clusters(const Clusters& clusters, const Grouping& grouping) {
  const double variance = variance_of(clusters);
  const std::vector<double> mean = mean_of(clusters);
  std::vector<Prediction> predictions(clusters.cluster_of.size());
  for (std::size_t row = 0; row < predictions.size(); ++row) {
    const std::size_t own = cluster_of(clusters, row);
    const Posterior p = posterior(clusters, row, variance);
    predictions[row] = {
        grouping.group_of[own], static_cast<float>(p.own), static_cast<float>(p.own - p.other),
        static_cast<float>(cosine_about(mean, &clusters.rows[row * clusters.columns],
                                        &clusters.centres[own * clusters.columns]))};
  }
  return predictions;
}

}  // namespace opencd
