// What a view of features is drawn for. Read by host and device.
#pragma once

#include <cstdint>

namespace opencd::kernels {

struct FeatureViewKey {
  std::uint32_t seed = 0;
  std::uint32_t step = 0;
  std::uint32_t view = 0;  // 0 or 1
};

}  // namespace opencd::kernels
