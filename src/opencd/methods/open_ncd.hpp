// OpenNCD: a projection head, K prototypes, and groups of prototypes that become classes while the
// network learns (Liu et al., IJCAI 2023).
//
//   z = head(features), unit rows    c = prototypes, unit rows
//   p = softmax(z c^T / tau)         q[g] = sum of p[k] over the prototypes k of group g
//
// Stages: `warm` trains with every prototype a group of its own; `grouping` groups anew before every
// epoch; `fixed` keeps the groups to the end. A row belongs to the group of its nearest prototype.
//
// `opencd+` is the same with what is ours: other ways to group and to count (open_ncd_defaults.hpp), more
// labelled rows in a batch, whose share in L_reg stays, balanced predictions and, if asked for, balanced
// targets in L_group. How it draws rows and views and which stages it trains is the recipe's part
// (open_ncd_recipe.hpp).
#pragma once

#include "kernels/groups.hpp"
#include "kernels/prototype_losses.hpp"
#include "kernels/readback.hpp"
#include "nn/projection_head.hpp"
#include "opencd/method.hpp"
#include "opencd/methods/balanced_group_loss.hpp"
#include "opencd/methods/open_ncd_config.hpp"
#include "opencd/methods/open_ncd_grouping.hpp"
#include "opencd/prototype_affinity.hpp"

namespace opencd {

class OpenNcd final : public Method {
 public:
  /// UsageError for settings that cannot work, such as fewer prototypes than classes.
  OpenNcd(const MethodContext& context, const OpenNcdConfig& config);

  void allocate() override;
  std::size_t activation_bytes() const override;
  void begin_epoch(std::uint32_t epoch, TrainingFeatures& features) override;
  void finish(TrainingFeatures& features) override;
  void step(const MethodStep& step) override;
  std::vector<std::pair<std::string, double>> losses() override;
  std::vector<std::string> metric_names() const override;
  std::vector<std::pair<std::string, double>> figures() const override;
  std::vector<Prediction> predict(Rows<const float> features) override;
  GroupCount groups() const override { return groups_.count; }
  std::size_t embedding_columns() const override {
    return static_cast<std::size_t>(config_.dimensions);
  }
  void embed(Rows<const float> features, Rows<float> unit) override;
  Json state() const override;
  void restore(const Json& state) override;

  const Grouping& grouping() const { return groups_.grouping; }

 private:
  /// What one view of a batch leaves behind.
  struct ViewRows {
    kernels::Buffer<float> z, unit, norms, p, diff;
    std::optional<nn::Saved> head;
  };
  /// Training rows with their known class, negative if it has none.
  struct LookedAt {
    std::vector<std::uint32_t> rows;
    std::vector<std::int32_t> classes;
    double unlabelled_weight = 1.0;  // training rows that one of those without a class stands for

    KnownRows known(std::size_t count) const { return {classes, count, unlabelled_weight}; }
  };
  /// All labelled rows, and as many of the others as were asked for.
  LookedAt rows_to_look_at(std::span<const std::int32_t> labels) const;
  /// Whether an unknown number of classes is found once: what has learned from labels has made known
  /// classes more compact than new ones, and they are no measure for them any more.
  bool counts_once(std::span<const std::int32_t> labels) const;
  /// The number of classes in the encoder's own features; nothing if there are too few rows for a set
  /// of prototypes.
  std::optional<GroupCount> count_in_features(TrainingFeatures& features) const;
  /// Unit rows of z of training rows, in the first view of the epoch or as the pictures are.
  kernels::Buffer<float> embed_rows(std::span<const std::uint32_t> rows,
                                    bool augmented,
                                    TrainingFeatures& features);
  /// Cosines of unit rows of z to all prototypes, a row each.
  std::vector<float> cosines_of(Rows<const float> unit);
  /// Finds the factors of balanced predictions.
  void balance(TrainingFeatures& features);
  /// Sets of prototypes that a regrouping looks at, its own among them.
  std::size_t sets_to_ask(std::size_t classes) const;
  void regroup(std::uint32_t epoch, TrainingFeatures& features);
  void set_groups(PrototypeGroupState groups);
  void normalise_prototypes();
  void forward(const MethodStep& step);
  void choose_partners(const MethodStep& step);
  void backward(const MethodStep& step);
  float ce_weight(std::uint32_t epoch) const;
  kernels::PrototypeLossConfig loss_config(std::uint32_t epoch) const;
  /// What labelled rows count together in L_reg: as in the training set, where batches hold more of
  /// them; negative: as in the batch.
  float labelled_share() const;

  Rows<float> rows_of(const kernels::Buffer<float>& buffer) const;
  Rows<float> prototype_rows(float* data) const;

  MethodContext context_;
  OpenNcdConfig config_;
  nn::ProjectionHead head_;
  nn::Parameter& prototypes_;
  PrototypeGroupState groups_;
  std::optional<GroupCount> counted_;  // the number of classes, where it is found once
  std::vector<double> factors_;        // of groups, in balanced predictions; 1 until training ends

  std::array<ViewRows, 2> views_;
  kernels::Buffer<float> units_, unit_norms_, diff_units_;
  kernels::Buffer<float> cosines_;  // between the rows of a batch
  kernels::Buffer<std::int32_t> partners_;
  kernels::Buffer<float> prior_;
  kernels::Buffer<kernels::PrototypeLossRecord> record_;
  std::optional<kernels::PrototypeGroups> device_groups_;
  std::optional<kernels::Scratch> scratch_;
  std::optional<kernels::Readback<kernels::PrototypeLossRecord>> readback_;
  std::optional<PrototypeAffinity> affinity_;
  std::optional<BalancedGroupLoss> balanced_;  // opencd+
};

}  // namespace opencd
