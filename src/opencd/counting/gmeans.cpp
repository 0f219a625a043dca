#include "opencd/counting/gmeans.hpp"

#include "nn/gemm.hpp"
#include "opencd/counting/anderson_darling.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace opencd {

namespace {

constexpr std::size_t kLeastTested = 8;  // rows: the test says nothing of fewer

/// The members in two parts, whatever the period in which they come: multiples of the golden ratio
/// fall evenly below and above a half.
std::array<std::vector<std::int32_t>, 2> two_parts(std::size_t members) {
  std::array<std::vector<std::int32_t>, 2> parts;
  for (std::size_t i = 0; i < members; ++i) {
    const double turns = static_cast<double>(i) * std::numbers::phi;
    parts[turns - std::floor(turns) < 0.5 ? 0 : 1].push_back(static_cast<std::int32_t>(i));
  }
  return parts;
}

/// `rows` along the line from one centre to the other, ascending.
std::vector<double> along_the_cut(const nn::Engine& engine,
                                  kernels::Rows<const float> rows,
                                  const std::vector<float>& centres) {
  std::vector<float> line(rows.columns);
  for (std::size_t c = 0; c < rows.columns; ++c) line[c] = centres[c] - centres[rows.columns + c];
  kernels::Device& device = engine.device();
  const auto on_device = kernels::to_device(device, line);
  const kernels::Buffer<float> places(device, rows.rows);
  nn::gemm(engine, rows, on_device.rows(rows.columns, 1), places.rows(rows.rows, 1));
  const std::vector<float> host = kernels::to_host(device, places);
  std::vector<double> sorted(host.begin(), host.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

/// The members of a cluster, tested along the line that all of them found.
bool looks_like_two(const ClusterSplit& split) {
  const auto n = static_cast<double>(split.members.rows);
  const double statistic =
      anderson_darling(along_the_cut(split.engine, split.members, split.halves.centres));
  return statistic * (1.0 + 4.0 / n - 25.0 / (n * n)) > kGMeansCritical;
}

/// One part of the members finds the line, the other is tested along it.
bool other_half_looks_like_two(const ClusterSplit& split, const GrowthOptions& options) {
  const auto [finders, tested] = two_parts(split.members.rows);
  if (tested.size() < kLeastTested || finders.size() < kLeastTested) return false;
  kernels::Device& device = split.engine.device();
  const std::size_t columns = split.members.columns;
  const kernels::Buffer<float> first = gather_rows(device, split.members, finders);
  const KMeansResult halves =
      kmeans(split.engine, first.rows(finders.size(), columns),
             {.clusters = 2, .starts = options.tries, .seed = options.seed});
  const kernels::Buffer<float> second = gather_rows(device, split.members, tested);
  const double statistic = anderson_darling(
      along_the_cut(split.engine, second.rows(tested.size(), columns), halves.centres));
  return anderson_darling_p_value(statistic, tested.size()) < kGMeansLevel;
}

}  // namespace

KMeansResult gmeans(const nn::Engine& engine,
                    kernels::Rows<const float> rows,
                    const GrowthOptions& options,
                    const CountingWatch& watch) {
  GrowthOptions published = options;
  published.halves_from = HalvesFrom::longest_axis;
  published.fresh_starts = false;
  published.tolerance = 0.0;
  return grow_clusters(
      engine, rows, kmeans(engine, rows, {.clusters = 1, .starts = 1}), published, looks_like_two,
      [](const KMeansResult&) {}, watch);
}

KMeansResult gmeans_split(const nn::Engine& engine,
                          kernels::Rows<const float> rows,
                          const GrowthOptions& options,
                          const CountingWatch& watch) {
  return grow_clusters(
      engine, rows, kmeans(engine, rows, {.clusters = 1, .starts = 1}), options,
      [&](const ClusterSplit& split) { return other_half_looks_like_two(split, options); },
      [](const KMeansResult&) {}, watch);
}

}  // namespace opencd
