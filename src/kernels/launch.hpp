// Starting a kernel: the only place that knows whether kernels come from the embedded bundle (any
// host compiler) or from a SYCL compiler (OPENCD_SYCL_COMPILER). Launches are asynchronous.
#pragma once

#include "kernels/device/kernel.hpp"
#include "kernels/sycl_access.hpp"

#include <algorithm>

namespace opencd::kernels {

template <class Body, int dims>
void launch(Device& device, sycl::nd_range<dims> range, const Body& body) {
  const char* name = kernel_name(&body);
  submit(device, Submitter::kernels, name, [&](sycl::queue& queue) {
#if defined(OPENCD_SYCL_COMPILER)
    return queue.parallel_for(range, body);
#else
    const sycl::kernel& kernel = embedded_kernel(device, name);
    return queue.submit([&](sycl::handler& handler) {
      handler.set_arg(0, body);
      handler.parallel_for(range, kernel);
    });
#endif
  });
}

inline std::size_t round_up(std::size_t value, std::size_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

/// The largest divisor of `value` that is at most `most`: a size of work-groups that needs no guard,
/// behind which CPU drivers gather what they could load.
inline std::size_t largest_divisor(std::size_t value, std::size_t most) {
  std::size_t divisor = std::min(value, most);
  while (value % divisor != 0) --divisor;
  return divisor;
}

/// One item for each of `count` elements; the body guards the ragged end.
template <class Body>
void launch_elements(Device& device, std::size_t count, const Body& body) {
  if (count == 0) return;
  const auto group = static_cast<std::size_t>(device.element_group_size());
  launch(device, sycl::nd_range<1>(round_up(count, group), group), body);
}

/// One work-group for each of `rows` rows of `columns` entries.
template <class Body>
void launch_rows(Device& device, std::size_t rows, std::size_t columns, const Body& body) {
  if (rows == 0) return;
  const auto group = static_cast<std::size_t>(device.row_group_size(columns));
  launch(device, sycl::nd_range<1>(rows * group, group), body);
}

}  // namespace opencd::kernels
