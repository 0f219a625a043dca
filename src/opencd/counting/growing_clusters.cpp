#include "opencd/counting/growing_clusters.hpp"

#include "kernels/feature_views.hpp"
#include "nn/gemm.hpp"
#include "opencd/principal_components.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace opencd {

namespace {

constexpr std::size_t kLeastMembers = 3;

std::vector<std::vector<std::int32_t>> members_of(const KMeansResult& clusters,
                                                  std::size_t columns) {
  std::vector<std::vector<std::int32_t>> members(clusters.centres.size() / columns);
  for (std::size_t row = 0; row < clusters.cluster_of.size(); ++row)
    members[static_cast<std::size_t>(clusters.cluster_of[row])].push_back(
        static_cast<std::int32_t>(row));
  return members;
}

/// mean +- sqrt(2 variance / pi) along the axis in which the rows vary most.
std::vector<float> centres_along_longest_axis(const nn::Engine& engine,
                                              kernels::Rows<const float> rows,
                                              const std::vector<float>& mean) {
  kernels::Device& device = engine.device();
  const kernels::Buffer<float> axis = principal_directions(engine, rows, 1);
  const kernels::Buffer<float> places(device, rows.rows);
  nn::gemm(engine, rows, axis.rows(rows.columns, 1), places.rows(rows.rows, 1));
  const std::vector<float> direction = kernels::to_host(device, axis);
  const std::vector<float> along = kernels::to_host(device, places);
  double centre = 0.0;
  for (const float place : along) centre += place / static_cast<double>(along.size());
  double variance = 0.0;
  for (const float place : along)
    variance += (place - centre) * (place - centre) / static_cast<double>(along.size());
  const double distance = std::sqrt(2.0 * variance / std::numbers::pi);
  std::vector<float> centres(2 * rows.columns);
  for (std::size_t c = 0; c < rows.columns; ++c) {
    centres[c] = static_cast<float>(mean[c] + distance * direction[c]);
    centres[rows.columns + c] = static_cast<float>(mean[c] - distance * direction[c]);
  }
  return centres;
}

class Growth {
 public:
  Growth(const nn::Engine& engine,
         kernels::Rows<const float> rows,
         const GrowthOptions& options,
         const SplitCriterion& criterion)
      : engine_(engine), rows_(rows), options_(options), criterion_(criterion) {}

  /// The centres after a sweep: of a cluster that was cut, both halves'.
  std::vector<float> sweep(const KMeansResult& clusters, const CountingWatch& watch) const {
    const auto members = members_of(clusters, rows_.columns);
    const std::string stage = fmt::format("{} clusters, cutting", members.size());
    std::size_t count = members.size();
    std::vector<float> centres;
    for (std::size_t cluster = 0; cluster < members.size(); ++cluster) {
      watch(stage, cluster, members.size());
      const auto own = std::span(clusters.centres).subspan(cluster * rows_.columns, rows_.columns);
      std::vector<float> halves;
      if (count < options_.most) halves = cut(members[cluster]);
      count += halves.empty() ? 0 : 1;
      if (halves.empty()) halves.assign(own.begin(), own.end());
      centres.insert(centres.end(), halves.begin(), halves.end());
    }
    return centres;
  }

 private:
  /// Nothing if the cluster should stay.
  std::vector<float> cut(const std::vector<std::int32_t>& members) const {
    if (members.size() < kLeastMembers) return {};
    const kernels::Buffer<float> gathered = gather_rows(engine_.device(), rows_, members);
    const kernels::Rows<float> own = gathered.rows(members.size(), rows_.columns);
    const KMeansResult whole = kmeans(engine_, own, {.clusters = 1, .starts = 1});
    if (whole.inertia <= 0.0) return {};
    ClusterSplit split{engine_, own, whole.inertia, halves_of(own, whole.centres)};
    const std::vector<std::size_t> sizes = cluster_sizes(split.halves, rows_.columns);
    if (std::min(sizes[0], sizes[1]) == 0 || !criterion_(split)) return {};
    return std::move(split.halves.centres);
  }

  KMeansResult halves_of(kernels::Rows<const float> own, const std::vector<float>& mean) const {
    if (options_.halves_from == HalvesFrom::longest_axis)
      return kmeans_from(engine_, own, centres_along_longest_axis(engine_, own, mean),
                         {.tolerance = options_.tolerance});
    return kmeans(engine_, own, {.clusters = 2, .starts = options_.tries, .seed = options_.seed});
  }

  const nn::Engine& engine_;
  kernels::Rows<const float> rows_;
  GrowthOptions options_;
  const SplitCriterion& criterion_;
};

/// k-means over all rows from the new centres, or from starts of its own if those are asked for and end
/// better: cuts that went through a cluster heal only so.
KMeansResult settle(const nn::Engine& engine,
                    kernels::Rows<const float> rows,
                    const std::vector<float>& centres,
                    const GrowthOptions& options) {
  KMeansResult grown = kmeans_from(engine, rows, centres, {.tolerance = options.tolerance});
  if (!options.fresh_starts) return grown;
  KMeansResult fresh = kmeans(
      engine, rows,
      {.clusters = centres.size() / rows.columns, .starts = options.tries, .seed = options.seed});
  return fresh.inertia < grown.inertia ? fresh : grown;
}

}  // namespace

kernels::Buffer<float> gather_rows(kernels::Device& device,
                                   kernels::Rows<const float> rows,
                                   const std::vector<std::int32_t>& chosen) {
  kernels::Buffer<float> gathered(device, chosen.size() * rows.columns);
  kernels::feature_views(device, rows, kernels::to_device(device, chosen),
                         gathered.rows(chosen.size(), rows.columns), {}, {});
  return gathered;
}

std::vector<std::size_t> cluster_sizes(const KMeansResult& clusters, std::size_t columns) {
  std::vector<std::size_t> sizes(clusters.centres.size() / columns, 0);
  for (const std::int32_t cluster : clusters.cluster_of) ++sizes[static_cast<std::size_t>(cluster)];
  return sizes;
}

KMeansResult grow_clusters(const nn::Engine& engine,
                           kernels::Rows<const float> rows,
                           KMeansResult clusters,
                           const GrowthOptions& options,
                           const SplitCriterion& criterion,
                           const SweepObserver& observe,
                           const CountingWatch& watch) {
  const Growth growth(engine, rows, options, criterion);
  observe(clusters);
  while (true) {
    const std::vector<float> centres = growth.sweep(clusters, watch);
    if (centres.size() == clusters.centres.size()) return clusters;
    clusters = settle(engine, rows, centres, options);
    observe(clusters);
  }
}

}  // namespace opencd
