// Optimizer steps over one flat range of parameters, one item an element, as PyTorch computes them.
//   common  g = gradient + decay w          decay = weight decay, or 0 for excluded parameters
//   adam    m' = m + (1 - beta1)(g - m)     v' = beta2 v + (1 - beta2) g^2
//           w' = w - rate m' / (sqrt(v') / root + eps)
//           rate = lr / (1 - beta1^t), root = sqrt(1 - beta2^t)
//   sgd     b' = mu b + g                   w' = w - lr (nesterov ? g + mu b' : b')
//   ema     e' = e + (1 - d)(w' - e)
// All in place; the gradient is cleared for the next step. Where the record of the gradient's norm
// is not finite, nothing but the gradient changes. Padding stays zero: its gradient is zero.
#pragma once

#include "kernels/device/row_loop.hpp"
#include "kernels/norm_record.hpp"

namespace opencd::kernels {

/// What both optimizers share.
struct OptimizerRange {
  float* value;
  float* grad;
  float* ema;                // or null
  const float* decay_scale;  // by block of kDecayBlock elements, or null: 1 everywhere
  const NormRecord* record;
  std::size_t count;
  float weight_decay;
  float ema_step;  // 1 - d

  static constexpr std::size_t kDecayBlock = 16;

  bool finite() const { return record->bad == 0 && record->squares < kInfinity; }
  float gradient(std::size_t i) const {
    const float scale = decay_scale != nullptr ? decay_scale[i / kDecayBlock] : 1.0f;
    return grad[i] + weight_decay * scale * value[i];
  }
  void store(std::size_t i, float updated) const {
    value[i] = updated;
    if (ema != nullptr) ema[i] += ema_step * (updated - ema[i]);
  }
};

struct AdamStep {
  OptimizerRange range;
  float* first;   // m
  float* second;  // v
  float rate;
  float root;
  float beta2;
  float first_step;   // 1 - beta1
  float second_step;  // 1 - beta2
  float epsilon;

  void operator()(sycl::nd_item<1> item) const {
    const std::size_t i = element_of(item);
    if (i < range.count) {
      if (range.finite()) {
        const float g = range.gradient(i);
        const float m = first[i] + first_step * (g - first[i]);
        const float v = beta2 * second[i] + second_step * g * g;
        first[i] = m;
        second[i] = v;
        range.store(i, range.value[i] - rate * m / (sycl::sqrt(v) / root + epsilon));
      }
      range.grad[i] = 0.0f;
    }
  }
};
OPENCD_KERNEL(AdamStep, 1)

struct SgdStep {
  OptimizerRange range;
  float* velocity;  // b
  float learning_rate;
  float momentum;
  int nesterov;

  void operator()(sycl::nd_item<1> item) const {
    const std::size_t i = element_of(item);
    if (i < range.count) {
      if (range.finite()) {
        const float g = range.gradient(i);
        const float b = momentum * velocity[i] + g;
        velocity[i] = b;
        const float direction = nesterov != 0 ? g + momentum * b : b;
        range.store(i, range.value[i] - learning_rate * direction);
      }
      range.grad[i] = 0.0f;
    }
  }
};
OPENCD_KERNEL(SgdStep, 1)

}  // namespace opencd::kernels
