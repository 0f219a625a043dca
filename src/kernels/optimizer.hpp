// One step of Adam or SGD over a flat range of parameters.
#pragma once

#include "kernels/memory.hpp"
#include "kernels/norm_record.hpp"

namespace opencd::kernels {

/// Elements that share one entry of OptimizerViews::decay_scale.
inline constexpr std::size_t kDecayBlock = 16;

/// What a step reads and writes. All of the size of `value`, but where said otherwise.
struct OptimizerViews {
  View<float> value;
  View<float> grad;               // cleared by the step
  View<float> ema;                // empty: no moving average
  View<const float> decay_scale;  // one factor of weight decay a block; empty: 1 everywhere
  View<const NormRecord> record;  // of the gradient; the step is left out where it is not finite
  float weight_decay = 0.0f;
  float ema_decay = 0.0f;
};

struct AdamCoefficients {
  double learning_rate = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
};

/// `step` counts from 1.
void adam_step(Device& device,
               const OptimizerViews& views,
               View<float> first,
               View<float> second,
               const AdamCoefficients& coefficients,
               std::size_t step);

struct SgdCoefficients {
  double learning_rate = 0.1;
  double momentum = 0.9;
  bool nesterov = false;
};

void sgd_step(Device& device,
              const OptimizerViews& views,
              View<float> velocity,
              const SgdCoefficients& coefficients);

}  // namespace opencd::kernels
