// The optimizer, and one step late a look at whether its gradient was finite, so that nothing waits
// for the step itself. An update with a gradient that is not finite is never made.
#pragma once

#include "kernels/readback.hpp"
#include "nn/optimizer.hpp"

namespace opencd {

class WatchedOptimizer {
 public:
  /// As nn::Optimizer.
  WatchedOptimizer(nn::Model& model, const nn::OptimizerConfig& config);

  nn::Optimizer& optimizer() { return optimizer_; }
  const nn::Optimizer& optimizer() const { return optimizer_; }

  void step(double learning_rate);
  /// How many entries of the last step's gradient were not finite. Waits for that step; 0 if it has
  /// been asked before.
  std::size_t bad_entries();
  /// Of the last step that was asked about.
  double gradient_norm() const { return gradient_norm_; }

 private:
  nn::Optimizer optimizer_;
  kernels::Readback<kernels::NormRecord> readback_;
  bool unread_ = false;
  double gradient_norm_ = 0.0;
};

}  // namespace opencd
