// Discovery on features that somebody else computed: a method's head is trained on them as they
// are. Trainer's smaller sister: the features take the place of pictures and encoder, dropout and
// noise that of augmentation.
//
//   FeatureTrainer trainer(engine, features, labels, config, factory);
//   while (!trainer.done()) trainer.step();
//   trainer.finish();
//
// An epoch is a pass over the rows, or for small sets several, so that it has kLeastSteps steps.
#pragma once

#include "data/epoch_rows.hpp"
#include "kernels/feature_views.hpp"
#include "nn/schedule.hpp"
#include "opencd/method.hpp"
#include "opencd/watched_optimizer.hpp"

#include <algorithm>
#include <filesystem>

namespace opencd {

struct FeatureTrainerConfig {
  std::int64_t batch = 512;  // at most as many as there are rows
  std::int64_t epochs = 20;
  kernels::FeatureViewConfig view{.dropout = 0.1f, .noise = 0.1f};
  data::SamplingConfig sampling{.kind = data::Sampling::all_rows};
  nn::OptimizerConfig optimizer;
  nn::ScheduleConfig schedule;  // over epochs
  std::size_t block = 4096;     // rows at a time where nothing is trained
  std::uint32_t seed = 2023;
  bool deterministic = false;
};

/// Rows on the host and what is known of them.
struct LabelledFeatures {
  std::span<const float> values;  // rows x columns, finite
  std::size_t columns = 0;
  std::span<const std::int32_t> labels;  // known class of every row, from 0; negative: unlabelled
  std::size_t known = 0;                 // known classes
  std::size_t classes = 0;               // all classes; 0: unknown

  std::size_t rows() const { return labels.size(); }
  std::size_t labelled() const {
    return static_cast<std::size_t>(
        std::count_if(labels.begin(), labels.end(), [](std::int32_t label) { return label >= 0; }));
  }
};

class FeatureTrainer {
 public:
  static constexpr std::size_t kLeastSteps = 100;  // of an epoch
  using MethodFactory = std::function<std::unique_ptr<Method>(const MethodContext&)>;

  /// Copies the features to the device, centred and each of them scaled to the same length.
  /// `features` must outlive this. UsageError for fewer than 2 rows.
  FeatureTrainer(const nn::Engine& engine,
                 const LabelledFeatures& features,
                 const FeatureTrainerConfig& config,
                 const MethodFactory& factory);
  ~FeatureTrainer();
  FeatureTrainer(const FeatureTrainer&) = delete;
  FeatureTrainer& operator=(const FeatureTrainer&) = delete;

  std::size_t batch() const { return batch_; }
  std::int64_t epochs() const { return config_.epochs; }
  std::size_t steps_per_epoch() const { return steps_per_epoch_; }
  std::size_t steps_done() const { return epoch_ * steps_per_epoch_ + step_; }
  bool done() const { return epoch_ >= config_.epochs; }

  /// One step; before the first of an epoch, what the method does there. Throws NonFiniteError, which
  /// names the batch, one step after loss or gradient were not finite; no update was made with them.
  void step();
  /// What the method does after the last epoch.
  void finish();

  /// The groups of all rows.
  std::vector<Prediction> predict();
  Method& method() { return *method_; }

  /// model.safetensors: what the features are centred by, and the method's tensors.
  void save(const std::filesystem::path& file) const;

 private:
  class EpochFeatures;
  struct ViewMemory {
    kernels::Buffer<float> features, diff_features;
  };
  void take_memory();
  void upload();
  void plan_epoch();
  void make_views();
  void check_finite();
  std::span<const std::int32_t> rows_of_step(std::size_t step) const;
  Rows<const float> all() const { return features_.rows(data_.rows(), data_.columns); }

  LabelledFeatures data_;
  FeatureTrainerConfig config_;
  std::size_t batch_;
  data::EpochRows passes_;  // over the rows
  std::size_t steps_per_epoch_;
  nn::Model model_;
  nn::Parameter& mean_;
  std::unique_ptr<Method> method_;
  std::optional<WatchedOptimizer> optimizer_;
  std::uint32_t epoch_ = 0;
  std::size_t step_ = 0;  // of the epoch

  kernels::Buffer<float> features_;       // of all rows
  std::vector<std::int32_t> order_;       // rows of the epoch, batch by batch
  kernels::Buffer<std::int32_t> rows_;    // the same on the device
  kernels::Buffer<std::int32_t> labels_;  // of those rows
  std::array<ViewMemory, 2> views_;
};

}  // namespace opencd
