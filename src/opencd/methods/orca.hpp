// ORCA (Cao, Brbic, Leskovec: "Open-World Semi-Supervised Learning", ICLR 2022): one classifier over
// all classes, whose margin for labelled rows is as large as the network is unsure.
//
//   l = 10 cos(features, weights of class)     p = softmax(l)
//   loss = mean -log(p_i . p'_j) + CE(l + 10 m of the true class) - H(mean p)
//   m = min(u, 1/2),  u = 1 - mean over unlabelled rows of max p, measured before every epoch
//
// j is the positive partner of row i, found by the cosines of the features of view 1; p' is of view 2.
#pragma once

#include "kernels/cross_entropy.hpp"
#include "kernels/prototype_losses.hpp"
#include "kernels/readback.hpp"
#include "nn/cosine_linear.hpp"
#include "opencd/method.hpp"
#include "opencd/recipe.hpp"

#include <optional>

namespace opencd {

struct OrcaConfig {
  double scale = 10.0;  // of the cosines
  double most_margin = 0.5;
  std::int64_t measured_rows = 0;  // that the uncertainty is the mean of, evenly spread; 0: all
};

/// From the option "grouping-rows": how many rows are looked at between epochs.
OrcaConfig orca_config(const Json& options);
Recipe orca_recipe(const Json& options);

class Orca final : public Method {
 public:
  /// UsageError if the number of classes is unknown or below that of the known ones.
  Orca(const MethodContext& context, const OrcaConfig& config);

  void allocate() override;
  void begin_epoch(std::uint32_t epoch, TrainingFeatures& features) override;
  void finish(TrainingFeatures& /*features*/) override {}
  void step(const MethodStep& step) override;
  std::vector<std::pair<std::string, double>> losses() override;
  std::vector<std::string> metric_names() const override;
  std::vector<std::pair<std::string, double>> figures() const override;
  std::vector<Prediction> predict(Rows<const float> features) override;
  GroupCount groups() const override;
  Json state() const override;
  void restore(const Json& state) override;

 private:
  std::size_t classes() const { return context_.classes; }

  MethodContext context_;
  OrcaConfig config_;
  nn::CosineLinear classifier_;
  double uncertainty_ = 1.0;

  std::array<kernels::Buffer<float>, 2> p_, diff_;
  kernels::Buffer<float> similarities_;  // between the rows of a batch
  kernels::Buffer<float> prior_;
  kernels::Buffer<std::int32_t> partners_;
  kernels::Buffer<kernels::PrototypeLossRecord> pair_record_;
  kernels::Buffer<kernels::CrossEntropyRecord> ce_record_;
  std::optional<kernels::PrototypeGroups> single_classes_;
  std::optional<kernels::Scratch> scratch_;
  std::optional<kernels::Readback<kernels::PrototypeLossRecord>> pair_readback_;
  std::optional<kernels::Readback<kernels::CrossEntropyRecord>> ce_readback_;
};

}  // namespace opencd
