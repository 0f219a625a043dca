#include "opencd/methods/feature_kmeans.hpp"

#include "error.hpp"
#include "kernels/elementwise.hpp"
#include "kernels/normalize.hpp"
#include "nn/gemm.hpp"
#include "opencd/match_groups.hpp"

#include <numeric>

namespace opencd {

namespace {

constexpr double kTemperature = 0.1;  // of confidence and margin, as OpenNCD's

nn::ParameterConfig centres_config(const MethodContext& context) {
  if (context.classes == 0)
    fail<UsageError>(
        "[k-means] the number of clusters must be given: add --classes N, known and new classes "
        "together");
  if (context.classes < context.known)
    fail<UsageError>("[k-means] --classes {} is fewer than the {} known classes", context.classes,
                     context.known);
  return {.name = "centres",
          .desc = nn::plain_desc({static_cast<std::int64_t>(context.classes), context.features}),
          .role = nn::Role::frozen};
}

}  // namespace

FeatureKMeans::FeatureKMeans(const MethodContext& context, const FeatureKMeansConfig& config)
    : context_(context),
      config_(config),
      centres_(context.model.parameters().add(centres_config(context))) {}

void FeatureKMeans::finish(TrainingFeatures& features) {
  const std::span<const std::int32_t> labels = features.labels();
  const kernels::Buffer<float> unit = unit_features(features, labels.size());
  const Rows<float> rows = unit.rows(labels.size(), static_cast<std::size_t>(context_.features));
  const KMeansOptions options{
      .clusters = context_.classes, .starts = config_.starts, .seed = context_.seed};
  const nn::Engine& engine = context_.model.engine();
  const KMeansResult found = config_.semi_supervised
                                 ? semi_supervised_kmeans(engine, rows, labels, options)
                                 : kmeans(engine, rows, options);
  inertia_ = found.inertia;
  context_.model.parameters().write(centres_, ordered_centres(found, labels));
}

kernels::Buffer<float> FeatureKMeans::unit_features(TrainingFeatures& features,
                                                    std::size_t rows) const {
  kernels::Device& device = context_.model.device();
  const auto columns = static_cast<std::size_t>(context_.features);
  kernels::Buffer<float> unit(device, rows * columns);
  std::vector<std::uint32_t> all(rows);
  std::iota(all.begin(), all.end(), 0U);
  features.read(all, false, [&](std::size_t first, Rows<const float> block) {
    kernels::copy(device, block.flat(), unit.view().slice(first * columns, block.size()));
  });
  const kernels::Buffer<float> norms(device, rows);
  kernels::normalize_rows(device, unit.rows(rows, columns), unit.rows(rows, columns), norms);
  return unit;
}

std::vector<float> FeatureKMeans::ordered_centres(const KMeansResult& found,
                                                  std::span<const std::int32_t> labels) const {
  const std::size_t classes = context_.classes;
  Contingency labelled{classes, context_.known,
                       std::vector<std::int64_t>(classes * context_.known, 0)};
  for (std::size_t row = 0; row < labels.size(); ++row)
    if (labels[row] >= 0)
      ++labelled.counts[static_cast<std::size_t>(found.cluster_of[row]) * context_.known +
                        static_cast<std::size_t>(labels[row])];
  const std::optional<MatchedGroups> matched = match_groups(single_groups(classes), labelled);
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

std::vector<Prediction> FeatureKMeans::predict(Rows<const float> features) {
  const nn::Engine& engine = context_.model.engine();
  kernels::Device& device = engine.device();
  const std::size_t classes = context_.classes;
  const Rows<const float> centres{centres_.value.data, classes, features.columns};
  const kernels::Buffer<float> units(device, features.size() + centres.size());
  const kernels::Buffer<float> norms(device, features.rows + classes);
  const kernels::Buffer<float> cosines(device, features.rows * classes);
  const Rows<float> rows{units.data(), features.rows, features.columns};
  const Rows<float> unit_centres{units.data() + rows.size(), classes, features.columns};
  kernels::normalize_rows(device, features, rows, norms.view().slice(0, features.rows));
  kernels::normalize_rows(device, centres, unit_centres,
                          norms.view().slice(features.rows, classes));
  nn::gemm(engine, rows, unit_centres, cosines.rows(features.rows, classes),
           {.transpose_right = true});
  const std::vector<float> host = kernels::to_host(device, cosines);
  const Grouping grouping = single_groups(classes);
  std::vector<Prediction> result(features.rows);
  for (std::size_t row = 0; row < features.rows; ++row)
    result[row] = predict_from_cosines(std::span(host).subspan(row * classes, classes), grouping,
                                       kTemperature);
  return result;
}

void FeatureKMeans::restore(const Json& state) {
  try {
    inertia_ = state.at("inertia").get<double>();
  } catch (const Json::exception& error) {
    fail<FormatError>("[k-means] the state does not read: {}", error.what());
  }
}

}  // namespace opencd
