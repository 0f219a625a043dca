// What the contrastive losses leave on the device: shared by their kernels and by those that read it
// back.
#pragma once

#include <cstdint>

namespace opencd::kernels {

struct ContrastiveRecord {
  float loss = 0.0f;      // mean over `rows`
  std::int32_t rows = 0;  // rows that took part
};

}  // namespace opencd::kernels
