// Running statistics of batch norm: following the batches, and turned into a scale and a shift.
#pragma once

#include "kernels/memory.hpp"

namespace opencd::kernels {

/// Population statistics of a batch; `unbias` is n / (n - 1) by channel, or 0 to leave it alone.
struct BatchMoments {
  View<const float> mean;
  View<const float> var;
  View<const float> unbias;
};

struct RunningMoments {
  View<float> mean;
  View<float> var;
};

/// running = (1 - momentum) running + momentum batch, with the unbiased variance.
void update_running_statistics(Device& device,
                               const BatchMoments& batch,
                               const RunningMoments& running,
                               float momentum);

/// The affine parameters and fixed statistics of a batch norm.
struct FixedNorm {
  View<const float> weight;
  View<const float> bias;
  View<const float> mean;
  View<const float> var;
};

/// Batch norm with fixed statistics as y = scale x + shift.
void fold_batch_norm(
    Device& device, const FixedNorm& norm, View<float> scale, View<float> shift, float epsilon);

}  // namespace opencd::kernels
