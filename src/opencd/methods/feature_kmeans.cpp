#include "opencd/methods/feature_kmeans.hpp"

#include "error.hpp"
#include "opencd/match_groups.hpp"
#include "opencd/methods/read_state.hpp"
#include "opencd/row_choice.hpp"

namespace opencd {

FeatureKMeans::FeatureKMeans(const MethodContext& context, const FeatureKMeansConfig& config)
    : context_(context), config_(config), centres_(context, "centres", context.classes) {}

void FeatureKMeans::finish(TrainingFeatures& features) {
  const std::span<const std::int32_t> labels = features.labels();
  const kernels::Buffer<float> unit = unit_features(context_, features, all_rows(labels.size()));
  const Rows<float> rows = unit.rows(labels.size(), static_cast<std::size_t>(context_.features));
  const KMeansOptions options{
      .clusters = context_.classes, .starts = config_.starts, .seed = context_.seed};
  const nn::Engine& engine = context_.model.engine();
  const KMeansResult found = config_.semi_supervised
                                 ? semi_supervised_kmeans(engine, rows, labels, options)
                                 : kmeans(engine, rows, options);
  inertia_ = found.inertia;
  centres_.set(ordered_centres(found, labels));
}

std::vector<float> FeatureKMeans::ordered_centres(const KMeansResult& found,
                                                  std::span<const std::int32_t> labels) const {
  const std::size_t classes = context_.classes;
  const std::optional<MatchedGroups> matched = match_groups(
      single_groups(classes), count_labelled(found.cluster_of, labels, classes, context_.known));
  const auto columns = static_cast<std::size_t>(context_.features);
  std::vector<float> ordered(found.centres.size());
  for (std::size_t cluster = 0; cluster < classes; ++cluster) {
    const auto group = static_cast<std::size_t>(matched->grouping.group_of[cluster]);
    std::copy_n(found.centres.begin() + static_cast<std::ptrdiff_t>(cluster * columns), columns,
                ordered.begin() + static_cast<std::ptrdiff_t>(group * columns));
  }
  return ordered;
}

void FeatureKMeans::step(const MethodStep& /*step*/) {
  fail<UsageError>("[k-means] there is nothing to train; use --epochs 0");
}

std::vector<std::pair<std::string, double>> FeatureKMeans::figures() const {
  return {{"inertia", inertia_}};
}

GroupCount FeatureKMeans::groups() const {
  return {context_.classes, context_.classes, context_.classes};
}

void FeatureKMeans::restore(const Json& state) {
  read_state("k-means", [&] {
    inertia_ = read_number(state.at("inertia"));
    centres_.set_count(context_.classes);
  });
}

}  // namespace opencd
