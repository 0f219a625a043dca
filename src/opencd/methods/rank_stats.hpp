// RankStats, also called AutoNovel (Han and others: "Automatically Discovering and Learning New Visual
// Categories with Ranking Statistics", ICLR 2020), in the open world: two classifiers on the
// features, one of the known classes, one of all.
//
//   loss = CE(head 1, labelled) + BCE(pairs of unlabelled rows, head 2)
//          + w (MSE between the views of softmax 1 + the same of softmax 2)
//
// Two unlabelled rows are alike if their five largest features are the same ones. The first third of
// the epochs tunes head 1 alone, on labelled rows; then all terms count, w rising over a share of the
// rest: to 5 over a quarter as for CIFAR-10, to 50 over three quarters as for CIFAR-100. Head 2 predicts;
// its outputs are matched to the known classes by the labelled rows.
#pragma once

#include "kernels/cross_entropy.hpp"
#include "kernels/readback.hpp"
#include "nn/linear_head.hpp"
#include "opencd/methods/matched_outputs.hpp"
#include "opencd/recipe.hpp"

#include <optional>

namespace opencd {

struct RankStatsConfig {
  std::int64_t compared = 5;      // features
  double consistency = 5.0;       // w at its largest
  double tuning_share = 1.0 / 3;  // of all epochs
  double rise_share = 0.25;       // of the epochs after tuning
};

/// From the options "tuning-share", "consistency-weight", "rise-share" and "values-of", which may be left
/// out (published_set.hpp).
RankStatsConfig rank_stats_config(const Json& options, std::size_t known);
Recipe rank_stats_recipe(const Json& options, std::size_t known);

class RankStats final : public Method {
 public:
  /// UsageError if the number of classes is unknown or below that of the known ones.
  RankStats(const MethodContext& context, const RankStatsConfig& config);

  void allocate() override;
  std::vector<nn::ParameterRange> trained(std::uint32_t epoch,
                                          const nn::ParameterRange& own) const override;
  void begin_epoch(std::uint32_t epoch, TrainingFeatures& features) override;
  void finish(TrainingFeatures& features) override;
  void step(const MethodStep& step) override;
  std::vector<std::pair<std::string, double>> losses() override;
  std::vector<std::string> metric_names() const override;
  std::vector<Prediction> predict(Rows<const float> features) override;
  GroupCount groups() const override;
  Json state() const override;
  void restore(const Json& state) override;

 private:
  /// A classifier with what the views of a batch leave in it.
  struct Head {
    nn::LinearHead linear;
    std::array<kernels::Buffer<float>, 2> logits, p, diff;  // diff: of p, then of the logits
  };
  /// Means that lie on the device.
  struct Parts {
    float pairs = 0.0f;
    std::array<float, 2> consistency{};  // of head 1 and head 2
  };
  bool is_tuning(std::uint32_t epoch) const { return epoch < tuning_; }
  double consistency_weight(std::uint32_t epoch) const;
  void forward(const MethodStep& step, Head& head);
  void compare_pairs(const MethodStep& step);
  void compare_views();
  void backward(const MethodStep& step);
  std::vector<float> logits_of(Rows<const float> features) const;

  MethodContext context_;
  RankStatsConfig config_;
  Head known_, all_;
  MatchedOutputs outputs_;
  std::int64_t tuning_;  // epochs
  double weight_ = 0.0;  // w of the last step

  kernels::Buffer<std::int32_t> tops_;
  kernels::Buffer<float> products_, diff_features_;
  kernels::Buffer<Parts> parts_;
  kernels::Buffer<kernels::CrossEntropyRecord> ce_record_;
  std::optional<kernels::Scratch> scratch_;
  std::optional<kernels::Readback<Parts>> readback_;
  std::optional<kernels::Readback<kernels::CrossEntropyRecord>> ce_readback_;
};

}  // namespace opencd
