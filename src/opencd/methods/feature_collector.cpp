#include "opencd/methods/feature_collector.hpp"

#include "error.hpp"

#include <numeric>

namespace opencd {

void FeatureCollector::finish(TrainingFeatures& features) {
  std::vector<std::uint32_t> rows(features.labels().size());
  std::iota(rows.begin(), rows.end(), 0U);
  values_.resize(rows.size() * columns());
  features.read(rows, false, [&](std::size_t first, Rows<const float> block) {
    kernels::copy_to_host<float>(context_.model.device(), block.flat(),
                                 std::span(values_).subspan(first * columns(), block.size()));
  });
}

void FeatureCollector::step(const MethodStep& /*step*/) {
  fail<UsageError>("[features] there is nothing to train; use --epochs 0");
}

std::vector<Prediction> FeatureCollector::predict(Rows<const float> features) {
  return std::vector<Prediction>(features.rows);
}

}  // namespace opencd
