// The baselines of every comparison, which train nothing: features of the encoder as it is, unit
// rows, clustered.
//   simclr-kmeans  k-means; its clusters are then matched to the known classes
//   gcd-kmeans     GCD's semi-supervised k-means: labelled rows stay in the cluster of their class
// A row belongs to the centre of the largest cosine.
#pragma once

#include "opencd/kmeans.hpp"
#include "opencd/methods/feature_centres.hpp"

namespace opencd {

struct FeatureKMeansConfig {
  bool semi_supervised = false;
  int starts = 10;
};

class FeatureKMeans final : public Method {
 public:
  /// UsageError if the number of classes is unknown or below that of the known ones.
  FeatureKMeans(const MethodContext& context, const FeatureKMeansConfig& config);

  void allocate() override {}
  void begin_epoch(std::uint32_t /*epoch*/, TrainingFeatures& /*features*/) override {}
  /// Clusters all training rows.
  void finish(TrainingFeatures& features) override;
  /// UsageError: there is nothing to learn by steps.
  void step(const MethodStep& step) override;
  std::vector<std::pair<std::string, double>> losses() override { return {}; }
  std::vector<std::string> metric_names() const override { return {"inertia"}; }
  std::vector<std::pair<std::string, double>> figures() const override;
  std::vector<Prediction> predict(Rows<const float> features) override {
    return centres_.predict(features);
  }
  GroupCount groups() const override;
  Json state() const override { return {{"inertia", inertia_}, {"groups", centres_.most()}}; }
  void restore(const Json& state) override;

 private:
  /// The centres in the order of groups: known classes first.
  std::vector<float> ordered_centres(const KMeansResult& found,
                                     std::span<const std::int32_t> labels) const;

  MethodContext context_;
  FeatureKMeansConfig config_;
  FeatureCentres centres_;
  double inertia_ = 0.0;
};

}  // namespace opencd
