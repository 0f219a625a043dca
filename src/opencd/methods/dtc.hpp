// DTC (Han, Vedaldi, Zisserman: "Learning to Discover Novel Visual Categories via Deep Transfer
// Clustering", ICCV 2019) in the open world: unlabelled rows are clustered into as many clusters as
// there are classes, by Student's t around centres that are learned with the network.
//
//   z = Linear(features)      s_j = 1 / (1 + |z - m_j|^2), rows scaled to sum 1
//   target t_ij = s_ij^2 / sum_i s_ij, rows scaled to sum 1, kept for several epochs
//   loss = KL(t || s) + w MSE(s of view 1, s of view 2)        over unlabelled rows
//
//   pi   w rises to 10; targets from s
//   tep  w is 0; targets from the moving average of s over epochs
//
// The first epochs tune the network by a classifier of the known classes, on labelled rows alone. Then
// centres and targets come from PCA and k-means of the features, and the next epochs, the warm-up, keep
// these targets. New ones are made after the warm-up, then after epochs 0, n, 2 n and so on behind it; the
// averages of tep begin with the first of these epochs. Clusters are matched to the known classes by the
// labelled rows.
#pragma once

#include "kernels/deep_cluster.hpp"
#include "kernels/readback.hpp"
#include "nn/linear_head.hpp"
#include "opencd/methods/matched_outputs.hpp"
#include "opencd/methods/tuning.hpp"
#include "opencd/recipe.hpp"

#include <optional>

namespace opencd {

struct DtcConfig {
  bool temporal = false;              // tep
  double consistency = 10.0;          // w at its largest
  double average = 0.6;               // of the moving average
  double tuning_share = 180.0 / 290;  // of all epochs
  double warm_share = 1.0 / 11;  // of the epochs after tuning, with the first targets: 10 of 110
  double rise_share = 0.05;      // of the epochs after these, until w is at its largest
  double refresh_share = 0.05;   // of the same, between new targets
  int starts = 20;               // of k-means
};

/// From the options "dtc-variant" (pi or tep), "tuning-share", "consistency-weight", "rise-share",
/// "warm-share", "refresh-share" and "values-of", which may be left out (published_set.hpp).
DtcConfig dtc_config(const Json& options, std::size_t known);
Recipe dtc_recipe(const Json& options, std::size_t known);

class Dtc final : public Method {
 public:
  /// UsageError if the number of classes is unknown or below that of the known ones, or none is known.
  Dtc(const MethodContext& context, const DtcConfig& config);

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
  std::vector<RowMemory> row_memory() const override;

 private:
  struct ViewRows {
    kernels::Buffer<float> z, s, totals, diff_z;
  };
  std::size_t clusters() const { return context_.classes; }
  std::size_t columns() const;
  bool is_tuning(std::uint32_t epoch) const { return epoch < tuning_; }
  /// The first epoch whose targets are not those that clustering began with.
  std::int64_t warm_until() const;
  /// w in an epoch.
  double consistency_weight(std::uint32_t epoch) const;
  Rows<float> centres() const;
  /// Centres and targets from the features as they are.
  void start(TrainingFeatures& features, std::span<const std::uint32_t> rows);
  /// How many epochs of those after the warm-up are done.
  std::int64_t passed(std::uint32_t epoch) const { return epoch - warm_until(); }
  /// Whether an epoch begins with new targets, or with new averages at least.
  bool makes_targets(std::uint32_t epoch) const;
  bool looks_again(std::uint32_t epoch) const;
  /// s of rows as they are now, on the host. Changes nothing.
  std::vector<float> read_assignments(TrainingFeatures& features,
                                      std::span<const std::uint32_t> rows) const;
  /// Turns assignments into their bias-corrected moving averages over epochs.
  void to_averages(std::uint32_t epoch,
                   std::span<const std::uint32_t> rows,
                   std::vector<float>& assignments);
  /// Targets of `rows` from their assignments.
  void set_targets(std::span<const std::uint32_t> rows, const std::vector<float>& assignments);
  /// s of evaluated features, on the host.
  std::vector<float> assignments_of(Rows<const float> features) const;

  MethodContext context_;
  DtcConfig config_;
  std::int64_t tuning_;  // epochs
  TuningClassifier classifier_;
  bool tuned_last_ = false;  // by the last step
  nn::LinearHead embedding_;
  nn::Parameter& centres_;
  MatchedOutputs outputs_;
  double weight_ = 0.0;  // w of the last step

  std::array<ViewRows, 2> views_;
  kernels::Buffer<float> targets_;   // training rows x clusters
  kernels::Buffer<float> averages_;  // the same; tep
  kernels::Buffer<kernels::DeepClusterRecord> record_;
  std::optional<kernels::Scratch> scratch_;
  std::optional<kernels::Readback<kernels::DeepClusterRecord>> readback_;
};

}  // namespace opencd
