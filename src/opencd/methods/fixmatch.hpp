// FixMatch (Sohn and others, NeurIPS 2020) in the open world: a classifier of the known classes, for
// which a weak view of an unlabelled row, where it is sure, is the label of its strong view.
//
//   loss = CE(weak, labelled) + mean over unlabelled rows of [max softmax(weak) >= 0.95] CE(strong,
//          argmax weak)
//
// View 1 is the weak one, view 2 the strong one. The moving average of the weights predicts. The rows
// it is least sure of are novel (least_sure.hpp).
#pragma once

#include "kernels/cross_entropy.hpp"
#include "kernels/readback.hpp"
#include "nn/linear_head.hpp"
#include "opencd/methods/least_sure.hpp"
#include "opencd/recipe.hpp"

#include <optional>

namespace opencd {

struct FixMatchConfig {
  double threshold = 0.95;
  double unlabelled_weight = 1.0;
  double novel_share = 0.5;  // of the unlabelled rows
};

/// From the options "pseudo-threshold" and "novel-share", which may be left out.
FixMatchConfig fixmatch_config(const Json& options);
/// Weight decay by the option "values-of" (published_set.hpp).
Recipe fixmatch_recipe(const Json& options, std::size_t known);

class FixMatch final : public Method {
 public:
  /// UsageError if the number of classes is unknown, or no class is known.
  FixMatch(const MethodContext& context, const FixMatchConfig& config);

  void allocate() override;
  void begin_epoch(std::uint32_t /*epoch*/, TrainingFeatures& /*features*/) override {}
  void finish(TrainingFeatures& features) override;
  void step(const MethodStep& step) override;
  std::vector<std::pair<std::string, double>> losses() override;
  std::vector<std::string> metric_names() const override;
  std::vector<Prediction> predict(Rows<const float> features) override {
    return novel_.predict(features, classify(features));
  }
  GroupCount groups() const override { return novel_.groups(); }
  Json state() const override { return novel_.state(); }
  void restore(const Json& state) override;

 private:
  ClassifiedRows classify(Rows<const float> features) const;

  MethodContext context_;
  FixMatchConfig config_;
  nn::LinearHead classifier_;
  LeastSure novel_;

  std::array<kernels::Buffer<float>, 2> logits_, diff_;
  kernels::Buffer<std::int32_t> pseudo_;
  std::array<kernels::Buffer<kernels::CrossEntropyRecord>, 2>
      records_;  // labelled, pseudo-labelled
  std::optional<kernels::Scratch> scratch_;
  std::array<std::optional<kernels::Readback<kernels::CrossEntropyRecord>>, 2> readbacks_;
};

}  // namespace opencd
