#include "opencd/counting/growing_clusters.hpp"

#include "kernels/feature_views.hpp"

#include <fmt/format.h>

#include <algorithm>

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
    ClusterSplit split{
        engine_, own, kmeans(engine_, own, {.clusters = 1, .starts = 1}).inertia,
        kmeans(engine_, own, {.clusters = 2, .starts = options_.tries, .seed = options_.seed})};
    const std::vector<std::size_t> sizes = cluster_sizes(split.halves, rows_.columns);
    const bool whole = split.inertia <= 0.0 || std::min(sizes[0], sizes[1]) == 0;
    if (whole || !criterion_(split)) return {};
    return std::move(split.halves.centres);
  }

  const nn::Engine& engine_;
  kernels::Rows<const float> rows_;
  GrowthOptions options_;
  const SplitCriterion& criterion_;
};

/// k-means over all rows from the new centres, or from starts of its own if those end better: cuts
/// that went through a cluster heal only so.
KMeansResult settle(const nn::Engine& engine,
                    kernels::Rows<const float> rows,
                    const std::vector<float>& centres,
                    const GrowthOptions& options) {
  KMeansResult grown = kmeans_from(engine, rows, centres);
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
