// Training: two views of every batch through the encoder, a method's losses, the optimizer. Knows no
// method by name and writes no file but those of a checkpoint.
//
//   Trainer trainer(engine, set, split, config, factory);
//   while (!trainer.done()) {
//     trainer.begin_epoch_if_due();
//     trainer.step();
//   }
#pragma once

#include "data/epoch_rows.hpp"
#include "data/open_world_split.hpp"
#include "nn/memory_plan.hpp"
#include "nn/schedule.hpp"
#include "nn/weights.hpp"
#include "opencd/feature_reader.hpp"
#include "opencd/interrupted.hpp"
#include "opencd/method.hpp"
#include "opencd/watched_optimizer.hpp"

#include <filesystem>
#include <memory>

namespace opencd {

struct TrainerConfig {
  nn::ResNetConfig encoder;
  std::int64_t batch = 512;
  std::int64_t epochs = 150;
  kernels::AugmentConfig train_view;
  std::optional<kernels::AugmentConfig> second_view;  // unless both are drawn alike; of one size
  kernels::AugmentConfig test_view;
  data::SamplingConfig sampling;
  nn::OptimizerConfig optimizer;
  nn::ScheduleConfig schedule;   // over epochs
  bool smooth_schedule = false;  // the rate changes at every step, not only between epochs
  /// Epoch from which the stages up to encoder.freeze are trained too, with an optimizer that begins
  /// anew; before it their gradients are not computed.
  std::optional<std::int64_t> whole_from;
  /// Epoch from which the encoder is trained, with an optimizer that begins anew; before it only the
  /// method's own parameters are.
  std::int64_t encoder_from = 0;
  std::int64_t block = 256;  // pictures at a time where nothing is trained
  std::uint32_t seed = 2023;
  bool deterministic = false;
};

using MethodFactory = std::function<std::unique_ptr<Method>(const MethodContext&)>;

class Trainer {
 public:
  /// `set` and `split` must outlive this. `classes`: how many there are in all, 0 if unknown.
  /// Throws UsageError for a batch that the split cannot fill.
  Trainer(const nn::Engine& engine,
          const data::ImageSet& set,
          const data::OpenWorldSplit& split,
          const TrainerConfig& config,
          std::size_t classes,
          const MethodFactory& factory);
  ~Trainer();
  Trainer(const Trainer&) = delete;
  Trainer& operator=(const Trainer&) = delete;

  const nn::MemoryPlan& memory_plan() const { return memory_plan_; }
  /// Takes over the encoder's weights from a file, whose other tensors do not matter.
  nn::LoadReport load_encoder(const std::filesystem::path& weights);

  data::BatchPosition position() const { return position_; }
  const data::EpochSteps& steps() const { return epoch_rows_.steps(); }
  /// Steps of the whole run that are done.
  std::size_t steps_done() const { return steps().before(position_.epoch) + position_.step; }
  std::size_t all_steps() const { return steps().before(static_cast<std::size_t>(epochs())); }
  std::int64_t epochs() const { return config_.epochs; }
  std::int64_t batch() const { return config_.batch; }
  bool done() const { return position_.epoch >= config_.epochs; }
  double learning_rate() const;

  /// What the method does before an epoch; does nothing in the middle of one.
  void begin_epoch_if_due();
  /// One step. Throws NonFiniteError, which names the batch, one step after loss or gradient were not
  /// finite; no update was made with them.
  void step();
  /// Waits for the last step and throws as `step` does.
  void check_finite();
  /// What the method does after the last epoch; once.
  void finish();
  bool finished() const { return finished_; }

  /// Asked now and then while features are read; `true` makes that end with Interrupted.
  void set_interrupt(std::function<bool()> wanted) { interrupt_ = std::move(wanted); }

  Method& method() { return *method_; }
  nn::Model& model() { return model_; }
  double gradient_norm() const { return optimizer_->gradient_norm(); }

  /// The groups of training rows and of held-out rows, as pictures without augmentation.
  std::vector<Prediction> predict_train(std::span<const std::uint32_t> rows);
  std::vector<Prediction> predict_test();

  /// model.safetensors and state.safetensors, and what goes into state.json. The model is the one that
  /// predicts: of averaged weights, if the optimizer keeps averages.
  void save(const std::filesystem::path& folder);
  Json state() const;
  /// The encoder alone, under torchvision's names.
  void save_encoder(const std::filesystem::path& file);
  /// Continues from what `save` wrote; throws FormatError if it is of another model.
  void restore(const std::filesystem::path& folder, const Json& state);
  /// Bytes that `save` will write, about.
  std::size_t checkpoint_bytes() const;

 private:
  class EpochFeatures;
  struct ViewMemory {
    kernels::Buffer<float> images, features, diff_features;
    std::optional<nn::Saved> saved;
  };
  /// While it lives, the parameters are those that predict.
  class Averaged {
   public:
    explicit Averaged(nn::Optimizer& optimizer) : optimizer_(optimizer) {
      optimizer_.exchange_averages();
    }
    ~Averaged() { optimizer_.exchange_averages(); }
    Averaged(const Averaged&) = delete;
    Averaged& operator=(const Averaged&) = delete;

   private:
    nn::Optimizer& optimizer_;
  };
  void take_memory();
  void read_features(FeatureReader& reader,
                     std::span<const std::uint32_t> rows,
                     bool augmented,
                     const FeatureReader::Take& take);
  /// Whether parameters are trained from this epoch on that were not before it.
  bool more_is_trained_from(std::int64_t epoch) const;
  /// The first stage of the encoder that this epoch trains.
  std::size_t first_trained_stage() const;
  /// The parameters that this epoch trains.
  std::vector<nn::ParameterRange> trained_now() const;
  void plan_epoch();
  /// Where a checkpoint was made; FormatError if that is no place of this run.
  data::BatchPosition position_in(const Json& state, const std::filesystem::path& folder) const;
  void augment(std::size_t step);
  const kernels::Augmenter& augmenter_of(std::size_t view) const {
    return view != 0 && second_augmenter_ ? *second_augmenter_ : train_augmenter_;
  }
  Rows<float> feature_rows(const kernels::Buffer<float>& buffer) const;
  std::vector<Prediction> predict(FeatureReader& reader, std::span<const std::uint32_t> rows);

  const data::ImageSet& set_;
  TrainerConfig config_;
  nn::Model model_;
  nn::ResNet encoder_;
  std::size_t encoder_tensors_;  // the first of the model's
  std::unique_ptr<Method> method_;
  nn::MemoryPlan memory_plan_;
  std::vector<std::int32_t> given_labels_;  // of training rows; all that a method may know
  data::EpochRows epoch_rows_;
  data::BatchPosition position_;
  bool epoch_begun_ = false;
  bool epoch_planned_ = false;
  bool finished_ = false;
  bool pretrained_ = false;  // the encoder began with weights of others
  std::function<bool()> interrupt_;

  std::optional<WatchedOptimizer> optimizer_;
  DevicePictures pictures_;
  PictureBatches picture_batches_;
  FeatureReader reader_;
  kernels::Augmenter train_augmenter_;
  std::optional<kernels::Augmenter> second_augmenter_;
  kernels::Augmenter test_augmenter_;
  std::optional<kernels::Scratch> augment_scratch_;
  kernels::Buffer<std::int32_t> epoch_labels_;
  kernels::Buffer<std::int32_t> epoch_row_numbers_;
  std::array<ViewMemory, 2> views_;
};

}  // namespace opencd
