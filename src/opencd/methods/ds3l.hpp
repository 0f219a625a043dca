// DS3L (Guo and others: "Safe Deep Semi-Supervised Learning for Unseen-Class Unlabeled Data", ICML
// 2020) in the open world, in a compact form: a classifier of the known classes, and a small network
// that says how much each unlabelled row may count.
//
//   u_j = mean over classes of (softmax(view 2) - softmax(view 1), a constant)^2
//   w_j = WNet(softmax(view 1))
//   inner = CE(labelled) / 2 + r sum w_j u_j / sum w_j      r = 10 exp(-5 (1 - progress)^2)
//   outer = CE(labelled) after a virtual step of 1e-3 against the gradient of `inner`
//
// The classifier learns from `inner`, WNet from `outer`. Only the last layer makes the virtual step,
// so that the gradient of `outer` by w_j is a product of two rows' gradients and needs no second
// derivatives. The rows of the least weight are novel (least_sure.hpp).
#pragma once

#include "kernels/cross_entropy.hpp"
#include "kernels/readback.hpp"
#include "kernels/safe_weights.hpp"
#include "nn/linear_head.hpp"
#include "nn/projection_head.hpp"
#include "opencd/methods/least_sure.hpp"
#include "opencd/recipe.hpp"

#include <optional>

namespace opencd {

struct Ds3lConfig {
  double consistency = 10.0;  // r at its largest
  double virtual_rate = 1e-3;
  double novel_share = 0.5;  // of the unlabelled rows
};

/// From the option "novel-share", which may be left out.
Ds3lConfig ds3l_config(const Json& options);
Recipe ds3l_recipe(const Json& options);

class Ds3l final : public Method {
 public:
  /// UsageError if the number of classes is unknown, or no class is known.
  Ds3l(const MethodContext& context, const Ds3lConfig& config);

  void allocate() override;
  std::size_t activation_bytes() const override { return weight_net_.saved_layout().bytes(); }
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
  /// The scores are WNet's weights before the sigmoid, which has their order.
  ClassifiedRows classify(Rows<const float> features) const;
  void forward(const MethodStep& step);
  /// The gradient of `outer` by the last layer after the virtual step.
  void take_virtual_step(const MethodStep& step);
  void learn_weights(const MethodStep& step, double factor);
  kernels::SafeBatch safe_batch(const MethodStep& step) const;
  /// The classifier's weights, or another matrix of their shape.
  Rows<float> weight_rows(float* data) const;

  MethodContext context_;
  Ds3lConfig config_;
  nn::LinearHead classifier_;
  nn::ProjectionHead weight_net_;
  LeastSure novel_;
  double factor_ = 0.0;  // r of the last step

  std::array<kernels::Buffer<float>, 2> logits_, p_, diff_;
  kernels::Buffer<float> slope_, weight_logits_, diff_weight_logits_, diff_p_;
  kernels::Buffer<float> virtual_weight_, virtual_bias_, virtual_logits_, virtual_diff_;
  kernels::Buffer<float> outer_weight_, outer_bias_, outer_rows_, ones_;
  std::optional<nn::Saved> saved_;
  kernels::Buffer<kernels::CrossEntropyRecord> ce_record_, outer_record_;
  kernels::Buffer<kernels::SafeWeightsRecord> record_;
  std::optional<kernels::Scratch> scratch_;
  std::optional<kernels::Readback<kernels::CrossEntropyRecord>> ce_readback_;
  std::optional<kernels::Readback<kernels::SafeWeightsRecord>> readback_;
};

}  // namespace opencd
