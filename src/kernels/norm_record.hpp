// What the squared norm leaves on the device: shared by its kernels and by those that read it back.
#pragma once

#include <cstdint>

namespace opencd::kernels {

struct NormRecord {
  float squares;
  std::int32_t bad;  // entries that are not finite
};

}  // namespace opencd::kernels
