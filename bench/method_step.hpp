// Whole steps of methods on synthetic pictures, as `train` makes them: views, encoder, the method's
// losses and gradients, the optimizer. Relative to OpenNCD's step this is what a method costs.
#pragma once

#include "bench/measure.hpp"
#include "bench/train_step.hpp"

namespace opencd::bench {

/// A step of OpenNCD and one of `train.method`, whose figures have "relative_to_opencd". Both have the
/// same batch and network. UsageError for a method that makes no steps.
std::vector<Result> time_method_steps(const nn::Engine& engine,
                                      const TrainOptions& train,
                                      const MeasureOptions& options);

}  // namespace opencd::bench
