// What the losses of DS3L leave on the device: shared by their kernels and by the host.
#pragma once

#include <cstdint>

namespace opencd::kernels {

struct SafeWeightsRecord {
  float consistency = 0.0f;  // weighted mean over unlabelled rows
  float weight_sum = 0.0f;
  float mean_weight = 0.0f;
  std::int32_t rows = 0;  // unlabelled ones
};

}  // namespace opencd::kernels
