// The random parameters of a batch of views: one item a view.
#pragma once

#include "kernels/augment_draw.hpp"
#include "kernels/device/row_loop.hpp"

namespace opencd::kernels {

struct DrawAugmentation {
  const std::int32_t* rows;
  AugmentParameters* dst;
  std::size_t count;
  AugmentPlan plan;
  AugmentKey key;

  void operator()(sycl::nd_item<1> item) const {
    const std::size_t i = element_of(item);
    if (i < count) dst[i] = draw(plan, key, static_cast<std::uint32_t>(rows[i]));
  }
};
OPENCD_KERNEL(DrawAugmentation, 1)

}  // namespace opencd::kernels
