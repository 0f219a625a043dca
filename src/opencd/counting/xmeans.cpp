#include "opencd/counting/xmeans.hpp"

#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

namespace opencd {

double information_criterion(std::span<const std::size_t> sizes,
                             double inertia,
                             std::size_t dimensions) {
  const auto n = static_cast<double>(std::accumulate(sizes.begin(), sizes.end(), std::size_t{0}));
  const auto k = static_cast<double>(sizes.size());
  const auto d = static_cast<double>(dimensions);
  if (n <= k)
    return -std::numeric_limits<double>::infinity();  // as many centres as rows explain all
  if (inertia <= 0.0) return std::numeric_limits<double>::infinity();
  const double variance = inertia / (n - k);
  double likelihood = 0.0;
  for (const std::size_t size : sizes) {
    if (size == 0) continue;
    const auto m = static_cast<double>(size);
    likelihood += m * std::log(m) - m * std::log(n) - 0.5 * m * std::log(2.0 * std::numbers::pi) -
                  0.5 * m * d * std::log(variance) - 0.5 * (m - k);
  }
  return likelihood - 0.5 * k * (d + 1.0) * std::log(n);
}

KMeansResult xmeans(const nn::Engine& engine,
                    kernels::Rows<const float> rows,
                    const GrowthOptions& options,
                    const CountingWatch& watch) {
  const auto criterion_of = [&](const KMeansResult& clusters) {
    return information_criterion(cluster_sizes(clusters, rows.columns), clusters.inertia,
                                 rows.columns);
  };
  const auto start = [&](std::size_t clusters) {
    return kmeans(engine, rows,
                  {.clusters = clusters, .starts = options.tries, .seed = options.seed});
  };
  KMeansResult best = start(1);
  double best_criterion = criterion_of(best);
  const auto keep_best = [&](const KMeansResult& clusters) {
    const double criterion = criterion_of(clusters);
    if (criterion <= best_criterion) return;
    best_criterion = criterion;
    best = clusters;
  };
  const auto two_are_better = [&](const ClusterSplit& split) {
    const std::size_t whole = split.members.rows;
    return criterion_of(split.halves) >
           information_criterion({&whole, 1}, split.inertia, rows.columns);
  };
  if (rows.rows >= 2 && options.most >= 2)
    grow_clusters(engine, rows, start(2), options, two_are_better, keep_best, watch);
  return best;
}

}  // namespace opencd
