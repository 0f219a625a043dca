// One training step of OpenNCD's shape: two views through encoder and head, cosines to prototypes,
// softmax, backward through everything that is trained, one optimizer step. The loss is half the
// mean squared length of p, whose gradient is p itself: the work of a step without the choices of
// the method. bench/peers/pytorch_step.py does the same in PyTorch.
#pragma once

#include "nn/memory_plan.hpp"
#include "nn/projection_head.hpp"
#include "nn/resnet.hpp"

namespace opencd::bench {

struct TrainOptions {
  std::string arch = "resnet18";
  std::int64_t batch = 128;
  std::int64_t crop = 28;
  std::int64_t width = 64;
  std::int64_t prototypes = 50;
  nn::FreezePoint freeze = nn::FreezePoint::stage3;
  nn::FrozenNorm frozen_norm = nn::FrozenNorm::batch;
  bool deterministic = false;
  std::string method;  // a whole step of this method too; empty: none
};

class TrainStep {
 public:
  TrainStep(const nn::Engine& engine, const TrainOptions& options);

  void run();
  /// Encoder alone on one view, with folded batch norm.
  void infer();

  /// Half the mean squared length of p over both views, as of the last step; waits.
  double loss() const;
  /// Whether the features of the first view are; waits.
  bool features_finite() const;
  const nn::MemoryPlan& plan() const { return plan_; }
  const nn::Optimizer& optimizer() const { return *optimizer_; }

 private:
  /// Rows that one view leaves behind.
  struct ViewRows {
    kernels::Buffer<float> images, features, z, z_unit, z_norms, p, diff_features;
    std::optional<nn::Saved> encoder, head;
  };
  void forward(ViewRows& view);
  void backward(ViewRows& view, float beta);
  nn::Rows<float> rows(const kernels::Buffer<float>& buffer) const;

  TrainOptions options_;
  nn::Model model_;
  nn::ResNet encoder_;
  nn::ProjectionHead head_;
  nn::Parameter& prototypes_;
  nn::MemoryPlan plan_;
  std::optional<nn::Optimizer> optimizer_;
  std::vector<ViewRows> views_;
  kernels::Buffer<float> units_, unit_norms_, diff_units_, diff_cosines_, diff_z_;
};

}  // namespace opencd::bench
