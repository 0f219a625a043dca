// What the loss of deep clustering is told and what it leaves on the device: shared by its kernels and
// by the host.
#pragma once

#include <cstdint>

namespace opencd::kernels {

struct DeepClusterRecord {
  float kl = 0.0f;           // mean over the entries of unlabelled rows
  float consistency = 0.0f;  // likewise
  std::int32_t rows = 0;     // unlabelled ones
};

}  // namespace opencd::kernels
