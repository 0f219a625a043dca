#include "kernels/optimizer.hpp"

#include "kernels/check.hpp"
#include "kernels/device/optimizer.hpp"
#include "kernels/launch.hpp"

#include <cmath>

namespace opencd::kernels {

namespace {

static_assert(kDecayBlock == OptimizerRange::kDecayBlock);

OptimizerRange range_of(const char* operation, const OptimizerViews& views) {
  const std::size_t count = views.value.size;
  require_equal(operation, "gradients", count, views.grad.size);
  require_equal(operation, "records", 1, views.record.size);
  if (views.ema.data != nullptr) require_equal(operation, "averages", count, views.ema.size);
  if (views.decay_scale.data != nullptr)
    require_equal(operation, "decay factors", (count + kDecayBlock - 1) / kDecayBlock,
                  views.decay_scale.size);
  return {views.value.data,  views.grad.data, views.ema.data,     views.decay_scale.data,
          views.record.data, count,           views.weight_decay, 1.0f - views.ema_decay};
}

}  // namespace

void adam_step(Device& device,
               const OptimizerViews& views,
               View<float> first,
               View<float> second,
               const AdamCoefficients& coefficients,
               std::size_t step) {
  require_equal("adam_step", "first moments", views.value.size, first.size);
  require_equal("adam_step", "second moments", views.value.size, second.size);
  const auto t = static_cast<double>(step);
  const auto& [learning_rate, beta1, beta2, epsilon] = coefficients;
  launch_elements(device, views.value.size,
                  AdamStep{range_of("adam_step", views), first.data, second.data,
                           static_cast<float>(learning_rate / (1.0 - std::pow(beta1, t))),
                           static_cast<float>(std::sqrt(1.0 - std::pow(beta2, t))),
                           static_cast<float>(beta2), static_cast<float>(1.0 - beta1),
                           static_cast<float>(1.0 - beta2), static_cast<float>(epsilon)});
}

void sgd_step(Device& device,
              const OptimizerViews& views,
              View<float> velocity,
              const SgdCoefficients& coefficients) {
  require_equal("sgd_step", "velocities", views.value.size, velocity.size);
  launch_elements(
      device, views.value.size,
      SgdStep{range_of("sgd_step", views), velocity.data,
              static_cast<float>(coefficients.learning_rate),
              static_cast<float>(coefficients.momentum), coefficients.nesterov ? 1 : 0});
}

}  // namespace opencd::kernels
