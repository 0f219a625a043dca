// Adam or SGD over the parameters of a model that are trained at the time: one pass over the gradients
// for their norm and a finite check, one fused pass for the update with its weight decay, the moving
// average of the weights and the clearing of the gradients. What is not trained is not touched.
#pragma once

#include "kernels/norm_record.hpp"
#include "kernels/optimizer.hpp"
#include "nn/model.hpp"

#include <span>

namespace opencd::nn {

enum class OptimizerKind { adam, sgd };

struct OptimizerConfig {
  OptimizerKind kind = OptimizerKind::adam;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double momentum = 0.9;
  bool nesterov = false;
  double weight_decay = 0.0;
  bool decay_all = true;   // false: not biases and batch norms (Parameter::decay)
  double ema_decay = 0.0;  // 0: no moving average of the weights

  /// Flat ranges of the size of the trained parameters that this keeps.
  std::size_t state_ranges() const {
    return (kind == OptimizerKind::adam ? 2 : 1) + (ema_decay != 0.0 ? 2 : 0);
  }
};

class Optimizer {
 public:
  /// After model.allocate() and after the start values are set, of which the average is a copy.
  Optimizer(Model& model, const OptimizerConfig& config);

  /// From the next step on only these parts of the trained range are: ascending, none in another.
  /// At first it is all of it. Moments of the rest stay as they are, and Adam corrects the bias of all
  /// by the same number of steps; where that would be wrong, `restart`.
  void train(std::span<const ParameterRange> ranges);

  /// Updates the parameters unless the gradient is not finite, and clears the gradient.
  void step(double learning_rate);

  /// Begins anew from the parameters as they are: no steps taken, no moments, no averages.
  void restart();

  /// Makes the averages the parameters and the parameters the averages; a second call undoes it.
  /// Does nothing where no averages are kept.
  void exchange_averages();
  /// The averages begin anew at the parameters as they are.
  void restart_averages();

  /// The squared norm of the gradient of the last step and how many entries were not finite.
  /// Waits for the step; read it late.
  kernels::NormRecord record() const;
  /// The same on the device.
  View<const kernels::NormRecord> record_on_device() const { return record_; }

  /// State for checkpoints: steps taken, and flat ranges beside the trained parameters.
  std::size_t steps() const { return steps_; }
  void set_steps(std::size_t steps) { steps_ = steps; }
  View<float> first_moments() const { return first_; }
  View<float> second_moments() const { return second_; }
  View<float> averages() const { return ema_; }

 private:
  kernels::OptimizerViews views_of(const ParameterRange& range) const;

  Model& model_;
  OptimizerConfig config_;
  std::vector<ParameterRange> trained_;
  std::vector<View<const float>> trained_grads_;
  std::size_t steps_ = 0;
  Buffer<float> first_;  // Adam's first moments, SGD's velocities
  Buffer<float> second_;
  Buffer<float> ema_;
  Buffer<float> exchanged_;  // on their way between parameters and averages
  Buffer<float> decay_scale_;
  Buffer<kernels::NormRecord> record_;
};

}  // namespace opencd::nn
