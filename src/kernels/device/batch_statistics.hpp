// Running statistics of batch norm, one item a channel, for all layers of a network at once.
//   update  mean' = (1 - m) mean + m mean_batch,  var' = (1 - m) var + m unbias var_batch
//           where unbias = n / (n - 1), or 0 for a channel that does not take part
//   fold    scale = weight / sqrt(var + eps),  shift = bias - mean scale
// Both assign.
#pragma once

#include "kernels/device/row_loop.hpp"

namespace opencd::kernels {

struct UpdateRunningStatistics {
  const float* batch_mean;
  const float* batch_var;
  const float* unbias;
  float* running_mean;
  float* running_var;
  std::size_t count;
  float momentum;

  void operator()(sycl::nd_item<1> item) const {
    const std::size_t i = element_of(item);
    if (i < count && unbias[i] > 0.0f) {
      const float keep = 1.0f - momentum;
      running_mean[i] = momentum * batch_mean[i] + keep * running_mean[i];
      running_var[i] = momentum * (batch_var[i] * unbias[i]) + keep * running_var[i];
    }
  }
};
OPENCD_KERNEL(UpdateRunningStatistics, 1)

struct FoldBatchNorm {
  const float* weight;
  const float* bias;
  const float* mean;
  const float* var;
  float* scale;
  float* shift;
  std::size_t count;
  float epsilon;

  void operator()(sycl::nd_item<1> item) const {
    const std::size_t i = element_of(item);
    if (i < count) {
      const float factor = weight[i] / sycl::sqrt(var[i] + epsilon);
      scale[i] = factor;
      shift[i] = bias[i] - mean[i] * factor;
    }
  }
};
OPENCD_KERNEL(FoldBatchNorm, 1)

}  // namespace opencd::kernels
