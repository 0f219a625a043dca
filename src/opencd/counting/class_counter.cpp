#include "opencd/counting/class_counter.hpp"

#include "error.hpp"
#include "opencd/counting/cluster_predictions.hpp"
#include "opencd/counting/dipdeck.hpp"
#include "opencd/counting/gmeans.hpp"
#include "opencd/counting/xmeans.hpp"
#include "opencd/match_groups.hpp"
#include "opencd/principal_components.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace opencd {

namespace {

using kernels::Buffer;

struct Question {
  const nn::Engine& engine;
  Rows<const float> rows;
  std::size_t most;
  const CounterConfig& config;
  const CountingWatch& watch;
};

Clusters of_kmeans(const Question& q, KMeansResult found) {
  return {kernels::to_host(q.engine.device(), q.rows.flat()), q.rows.columns,
          std::move(found.cluster_of), std::move(found.centres)};
}

Clusters count_by_xmeans(const Question& q) {
  return of_kmeans(q, xmeans(q.engine, q.rows, {.most = q.most, .seed = q.config.seed}, q.watch));
}

Clusters count_by_gmeans(const Question& q) {
  return of_kmeans(q, gmeans(q.engine, q.rows, {.most = q.most, .seed = q.config.seed}, q.watch));
}

Clusters count_by_gmeans_split(const Question& q) {
  return of_kmeans(
      q, gmeans_split(q.engine, q.rows, {.most = q.most, .seed = q.config.seed}, q.watch));
}

Clusters count_by_dipdeck(const Question& q) {
  const DipDeckOptions options{.clusters = q.most,
                               .pretrain_epochs = q.config.autoencoder_epochs,
                               .epochs = (q.config.autoencoder_epochs + 1) / 2,
                               .seed = q.config.seed,
                               .deterministic = q.config.deterministic};
  DipDeckResult found = dipdeck(q.engine, q.rows, options, q.watch);
  return {std::move(found.embedded), static_cast<std::size_t>(options.embedding),
          std::move(found.cluster_of), std::move(found.centres)};
}

struct Counter {
  std::string_view name;
  std::size_t most;  // unless the user says otherwise
  Clusters (*count)(const Question&);
};

constexpr std::array kCounters = {
    Counter{"xmeans", 20, count_by_xmeans}, Counter{"gmeans", 100, count_by_gmeans},
    Counter{"gmeans-split", 100, count_by_gmeans_split}, Counter{"dipdeck", 35, count_by_dipdeck}};

const Counter& find_counter(const std::string& name) {
  for (const Counter& counter : kCounters)
    if (counter.name == name) return counter;
  fail<UsageError>("[count] there is no counter \"{}\"; there are {}", name,
                   fmt::join(counter_names(), ", "));
}

std::size_t most_of(const CounterConfig& config, std::size_t known) {
  const Counter& counter = find_counter(config.counter);
  return config.most != 0 ? config.most : std::max(counter.most, known);
}

/// About 0 and, over all columns, of deviation 1: nothing to the criteria of clusters, much to an
/// autoencoder.
std::vector<float> standardised(const LabelledFeatures& features) {
  std::vector<double> means(features.columns, 0.0);
  const auto rows = static_cast<double>(features.rows());
  for (std::size_t i = 0; i < features.values.size(); ++i)
    means[i % features.columns] += features.values[i] / rows;
  double squares = 0.0;
  std::vector<float> values(features.values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double value = features.values[i] - means[i % features.columns];
    values[i] = static_cast<float>(value);
    squares += value * value;
  }
  const double deviation = std::sqrt(squares / static_cast<double>(values.size()));
  for (float& value : values) value = static_cast<float>(value / deviation);
  return values;
}

/// The group of every cluster, known classes first; there are at least as many groups as those.
Grouping groups_of(const Clusters& clusters, const LabelledFeatures& features) {
  const std::size_t count = std::max(clusters.count(), features.known);
  Contingency labelled{count, features.known, std::vector<std::int64_t>(count * features.known, 0)};
  for (std::size_t row = 0; row < features.rows(); ++row)
    if (features.labels[row] >= 0)
      ++labelled.counts[static_cast<std::size_t>(clusters.cluster_of[row]) * features.known +
                        static_cast<std::size_t>(features.labels[row])];
  return match_groups(single_groups(count), labelled)->grouping;
}

std::vector<float> group_means(const std::vector<Prediction>& predictions,
                               std::size_t groups,
                               const LabelledFeatures& features) {
  std::vector<double> sums(groups * features.columns, 0.0);
  std::vector<double> sizes(groups, 0.0);
  for (std::size_t row = 0; row < predictions.size(); ++row) {
    const auto group = static_cast<std::size_t>(predictions[row].group);
    sizes[group] += 1.0;
    for (std::size_t c = 0; c < features.columns; ++c)
      sums[group * features.columns + c] += features.values[row * features.columns + c];
  }
  std::vector<float> means(sums.size());
  for (std::size_t i = 0; i < sums.size(); ++i)
    means[i] = static_cast<float>(sums[i] / std::max(sizes[i / features.columns], 1.0));
  return means;
}

}  // namespace

std::vector<std::string> counter_names() {
  std::vector<std::string> names;
  names.reserve(kCounters.size());
  for (const Counter& counter : kCounters) names.emplace_back(counter.name);
  return names;
}

void check_countable(const LabelledFeatures& features, const CounterConfig& config) {
  const std::size_t most = most_of(config, features.known);
  if (features.rows() < 2)
    fail<UsageError>("[count] expected 2 rows or more, got {}", features.rows());
  if (most < features.known)
    fail<UsageError>(
        "[count] at most {} classes are fewer than the {} known ones; give --most-clusters {} or "
        "more",
        most, features.known, features.known);
  if (config.components > features.columns)
    fail<UsageError>("[count] expected at most {} principal components, as many as columns, got {}",
                     features.columns, config.components);
  for (std::size_t i = 0; i < features.values.size(); ++i)
    if (!std::isfinite(features.values[i]))
      fail<NonFiniteError>("[count] expected finite features, row {}, column {} is not",
                           i / features.columns, i % features.columns);
  const auto first = features.values.first(features.columns);
  for (std::size_t row = 1; row < features.rows(); ++row)
    if (!std::ranges::equal(first, features.values.subspan(row * features.columns, first.size())))
      return;
  fail<FormatError>("[count] all {} rows are the same: there is nothing to count", features.rows());
}

CountedClasses count_classes(const nn::Engine& engine,
                             const LabelledFeatures& features,
                             const CounterConfig& config,
                             const CountingWatch& watch) {
  check_countable(features, config);
  const Counter& counter = find_counter(config.counter);
  const std::size_t most = most_of(config, features.known);
  const Buffer<float> values = kernels::to_device(engine.device(), standardised(features));
  Rows<float> rows = values.rows(features.rows(), features.columns);
  Buffer<float> components;
  if (config.components != 0) {
    components = principal_components(engine, rows, config.components);
    rows = components.rows(features.rows(), config.components);
  }
  const Clusters clusters = without_empty(counter.count({engine, rows, most, config, watch}));
  const Grouping grouping = groups_of(clusters, features);
  CountedClasses counted{predict_clusters(clusters, grouping), clusters.count(), {}};
  counted.centres = group_means(counted.predictions, grouping.groups, features);
  return counted;
}

}  // namespace opencd
