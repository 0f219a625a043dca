#include "opencd/methods/least_sure.hpp"

#include "error.hpp"
#include "opencd/kmeans.hpp"
#include "opencd/methods/read_state.hpp"
#include "opencd/row_choice.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace opencd {

namespace {

std::size_t room_for(const MethodContext& context, const char* method, double novel_share) {
  if (context.known == 0)
    fail<UsageError>("[{}] this method classifies known classes: give --known N", method);
  if (!(novel_share >= 0.0 && novel_share <= 1.0))
    fail<UsageError>("[{}] expected --novel-share from 0 to 1, got {}", method, novel_share);
  return std::max<std::size_t>(1, context.classes - context.known);
}

}  // namespace

LeastSure::LeastSure(const MethodContext& context, const char* method, double novel_share)
    : context_(context),
      novel_share_(novel_share),
      centres_(context, "novel_centres", room_for(context, method, novel_share)) {}

void LeastSure::find(TrainingFeatures& features, const Classify& classify) {
  const std::vector<std::uint32_t> rows = rows_labelled(features.labels(), false);
  std::vector<float> score(rows.size());
  features.read(rows, false, [&](std::size_t first, Rows<const float> block) {
    const std::vector<float> found = classify(block).scores;
    std::copy(found.begin(), found.end(), score.begin() + static_cast<std::ptrdiff_t>(first));
  });
  const auto wanted =
      static_cast<std::size_t>(std::lround(novel_share_ * static_cast<double>(rows.size())));
  if (novel_classes() == 0 || wanted < novel_classes()) return;
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return score[a] < score[b]; });
  threshold_ = wanted < rows.size() ? score[order[wanted]] : std::numeric_limits<double>::max();
  std::vector<std::uint32_t> novel;
  novel.reserve(wanted);
  for (std::size_t i = 0; i < wanted; ++i) novel.push_back(rows[order[i]]);
  std::sort(novel.begin(), novel.end());
  const kernels::Buffer<float> unit = unit_features(context_, features, novel);
  const KMeansResult found = kmeans(
      context_.model.engine(), unit.rows(novel.size(), static_cast<std::size_t>(context_.features)),
      {.clusters = novel_classes(), .seed = context_.seed});
  centres_.set(found.centres);
}

std::vector<Prediction> LeastSure::predict(Rows<const float> features,
                                           ClassifiedRows classified) const {
  std::vector<Prediction> predictions = std::move(classified.predictions);
  if (centres_.count() == 0) return predictions;
  const std::vector<Prediction> novel = centres_.predict(features);
  for (std::size_t row = 0; row < predictions.size(); ++row) {
    if (classified.scores[row] >= threshold_) continue;
    predictions[row] = novel[row];
    predictions[row].group += static_cast<std::int32_t>(context_.known);
  }
  return predictions;
}

GroupCount LeastSure::groups() const {
  return {context_.classes, context_.classes, context_.classes};
}

Json LeastSure::state() const {
  return {
      {"groups", context_.classes}, {"threshold", threshold_}, {"novel_centres", centres_.count()}};
}

void LeastSure::restore(const Json& state) {
  const std::size_t count = read_count(state.at("novel_centres"), 0, centres_.most());
  threshold_ = read_number(state.at("threshold"));
  centres_.set_count(count);
}

}  // namespace opencd
