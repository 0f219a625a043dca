// How many columns of a matrix (channels of a picture) a work-group takes. It divides them, so that no
// item lies outside and no kernel needs a guard, which would keep the CPU driver from loading vectors.
#pragma once

#include "kernels/launch.hpp"

#include <cstddef>

namespace opencd::kernels {

inline std::size_t column_lanes(const Device& device, std::size_t columns) {
  return largest_divisor(columns, static_cast<std::size_t>(device.element_group_size()));
}

}  // namespace opencd::kernels
