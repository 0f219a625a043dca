// GCD (Vaze, Han, Vedaldi, Zisserman: "Generalized Category Discovery", CVPR 2022): contrastive
// learning without and with labels, then semi-supervised k-means of the encoder's features.
//
//   z = unit rows of head(features) of both views
//   loss = (1 - w) InfoNCE(z, T = 1) + w SupCon(z of labelled pictures, T = 0.07)
//
// If the number of classes is unknown, it is searched for after training: the one for which k-means
// agrees best with the labels (class_search.hpp).
#pragma once

#include "kernels/contrastive.hpp"
#include "kernels/readback.hpp"
#include "nn/gelu_head.hpp"
#include "opencd/methods/feature_centres.hpp"
#include "opencd/recipe.hpp"

#include <optional>

namespace opencd {

struct GcdConfig {
  double sup_weight = 0.35;       // w
  double temperature = 1.0;       // of InfoNCE
  double sup_temperature = 0.07;  // of SupCon
  int starts = 10;                // of k-means
  std::int64_t most_classes = 0;  // that are searched for; 0: 100, or four times the known ones
};

/// From the options "sup-weight" and "most-classes", which may be left out.
GcdConfig gcd_config(const Json& options);
Recipe gcd_recipe(const Json& options);

class Gcd final : public Method {
 public:
  Gcd(const MethodContext& context, const GcdConfig& config);

  void allocate() override;
  std::size_t activation_bytes() const override { return 2 * head_.saved_layout().bytes(); }
  void begin_epoch(std::uint32_t /*epoch*/, TrainingFeatures& /*features*/) override {}
  /// Clusters all training rows; until then everything is in group 0.
  void finish(TrainingFeatures& features) override;
  void step(const MethodStep& step) override;
  std::vector<std::pair<std::string, double>> losses() override;
  std::vector<std::string> metric_names() const override;
  std::vector<std::pair<std::string, double>> figures() const override;
  std::vector<Prediction> predict(Rows<const float> features) override {
    return centres_.predict(features);
  }
  GroupCount groups() const override;
  Json state() const override;
  void restore(const Json& state) override;

 private:
  /// Rows of view v of a matrix that holds both views, one below the other.
  Rows<float> of_view(const kernels::Buffer<float>& both, std::size_t v) const;

  MethodContext context_;
  GcdConfig config_;
  nn::GeluHead head_;
  FeatureCentres centres_;
  double inertia_ = 0.0;

  std::array<std::optional<nn::Saved>, 2> saved_;
  kernels::Buffer<float> z_, unit_, norms_, cosines_, diff_sup_, diff_unit_;
  kernels::Buffer<kernels::ContrastiveRecord> record_, sup_record_;
  std::optional<kernels::Scratch> scratch_;
  std::optional<kernels::Readback<kernels::ContrastiveRecord>> readback_, sup_readback_;
};

}  // namespace opencd
