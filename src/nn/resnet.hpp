// A residual network from its description: stem, stages of residual blocks, mean of every channel
// and, if asked for, a linear classifier. Built for training on pictures of one shape; inference
// takes any.
//
//   Model model(engine);
//   ResNet encoder(model, resnet_config("resnet18"), {512, 3, 28, 28});
//   model.allocate();
//   initialise(model.parameters(), seed);
//   Saved saved = encoder.make_saved();
//   encoder.forward(images, features, saved);
//   encoder.backward(images, diff_features, saved);   // adds to the gradients
//
// Names of parameters are torchvision's.
#pragma once

#include "nn/inference.hpp"
#include "nn/linear.hpp"
#include "nn/resnet_config.hpp"

namespace opencd::nn {

class ResNet {
 public:
  /// `images`: the shape of training batches.
  ResNet(Model& model, const ResNetConfig& config, const Shape& images);
  ResNet(const ResNet&) = delete;
  ResNet& operator=(const ResNet&) = delete;

  const ResNetConfig& config() const { return config_; }
  const Shape& images() const { return images_; }
  const SavedLayout& saved_layout() const { return pass_.saved; }
  Saved make_saved() const { return Saved(model_.device(), pass_.saved); }

  /// Where the trained parameters from a stage on lie in the trained range (0: the stem, 1: the first
  /// stage after it).
  ParameterRange trained_from(std::size_t stage) const;

  /// Plain NCHW pictures to rows of features (or logits). Moves the running statistics.
  void forward(View<const float> images, Rows<float> dst, const Saved& saved);
  /// Adds to the gradients of all trained parameters, or of those from `first_stage` on (1: the first
  /// after the stem). Takes the pictures of forward, unchanged.
  void backward(View<const float> images,
                Rows<const float> diff_dst,
                const Saved& saved,
                std::size_t first_stage = 0);
  /// Evaluation with the running statistics, folded into the convolutions once for every change of
  /// weights; `images` may be any shape.
  void infer(const Shape& images, View<const float> src, Rows<float> dst) const;

 private:
  Use use_of_stage(std::size_t stage) const;
  void build_stage(std::size_t stage, Desc& x);
  void build_tail(const Desc& x);
  View<float> forward_stages(View<const float> images,
                             const Saved& saved,
                             TemporaryPool& pool) const;
  View<float> forward_stem(View<const float> images, const Saved& saved, TemporaryPool& pool) const;
  void backward_stem(View<const float> images,
                     SplitGradient diff_dst,
                     const Saved& saved,
                     TemporaryPool& pool) const;
  /// The first block of a stage.
  std::size_t first_block(std::size_t stage) const;
  View<const float> stem_input(View<const float> images, const Saved& saved) const;
  View<const float> input_of_block(std::size_t index, const Saved& saved) const;

  Model& model_;
  ResNetConfig config_;
  Shape images_;
  std::vector<std::size_t> stage_parameters_;  // where those of a stage begin in the trained range
  std::size_t parameters_end_ = 0;
  PassLayout pass_;
  std::optional<Pool2dConfig> max_pool_config_;
  std::optional<ConvNorm> stem_;
  std::optional<Pool2d> max_pool_;
  std::deque<ResidualBlock> blocks_;
  std::size_t frozen_blocks_ = 0;
  std::optional<Inference> fixed_stages_;  // frozen stages with fixed statistics
  std::optional<GlobalAveragePool> pool_;
  std::optional<Linear> classifier_;
  mutable std::optional<Inference> inference_;
  std::size_t temporary_floats_ = 0;

  Slot stem_src_;     // the pictures, where the stem wants another layout
  Slot stem_dst_;     // before the max-pool
  Slot first_input_;  // input of the first block that is trained or kept
  Slot pool_workspace_;
  Slot features_;  // input of the classifier
};

}  // namespace opencd::nn
