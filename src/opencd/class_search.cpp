#include "opencd/class_search.hpp"

#include "opencd/bounded_minimum.hpp"
#include "opencd/contingency.hpp"
#include "opencd/kmeans.hpp"

#include <cmath>
#include <map>

namespace opencd {

namespace {

/// The share of labelled rows whose cluster is matched to their class.
double labelled_accuracy(const nn::Engine& engine,
                         kernels::Rows<const float> rows,
                         std::span<const std::int32_t> labels,
                         std::size_t clusters,
                         const ClassSearchOptions& options) {
  const KMeansResult found =
      kmeans(engine, rows, {.clusters = clusters, .starts = options.starts, .seed = options.seed});
  const Contingency table = count_labelled(found.cluster_of, labels, clusters, options.known);
  const Assignment pairs = match(table);
  std::int64_t right = 0;
  for (std::size_t cls = 0; cls < options.known; ++cls)
    if (pairs.row_of_column[cls] >= 0)
      right += table.at(static_cast<std::size_t>(pairs.row_of_column[cls]), cls);
  return static_cast<double>(right) / static_cast<double>(std::max<std::int64_t>(1, table.rows()));
}

}  // namespace

std::size_t search_class_count(const nn::Engine& engine,
                               kernels::Rows<const float> rows,
                               std::span<const std::int32_t> labels,
                               const ClassSearchOptions& options) {
  std::map<std::size_t, double> accuracies;  // the search asks for some numbers more than once
  const auto loss = [&](double place) {
    const auto clusters = static_cast<std::size_t>(std::lround(place));
    const auto [at, first] = accuracies.try_emplace(clusters, 0.0);
    if (first) at->second = labelled_accuracy(engine, rows, labels, clusters, options);
    return -at->second;
  };
  const BoundedMinimum found = bounded_minimum(loss, {.low = static_cast<double>(options.known),
                                                      .high = static_cast<double>(options.most),
                                                      .tolerance = 1.0});
  return static_cast<std::size_t>(std::lround(found.place));
}

}  // namespace opencd
