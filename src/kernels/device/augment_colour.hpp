// Colour jitter and grayscale of 8-bit views, in place. One work-group a view.
//   brightness  blend with black           contrast  blend with the picture's mean grey, rounded
//   saturation  blend with the own grey    hue       turned in HSV
// in the order of the view's parameters. Every item meets the same pixels in every pass, so no
// barrier is needed but the group's sum that contrast takes.
#pragma once

#include "kernels/device/augment_picture.hpp"
#include "kernels/device/planes.hpp"

namespace opencd::kernels {

struct JitterColours {
  const AugmentParameters* parameters;
  std::uint8_t* views;
  std::int32_t pixels;
  std::int32_t channels;

  void operator()(sycl::nd_item<1> item) const {
    const AugmentParameters& p = parameters[row_of(item)];
    std::uint8_t* view = views + row_of(item) * static_cast<std::size_t>(pixels * channels);
    const Planes planes{pixels, channels};
    for (int k = 0; k < 4 && p.jitter; ++k) {
      const int operation = p.order[k];
      const std::int32_t factor = p.factor[operation < hue ? operation : 0];
      // One loop over the pixels an operation: a loop that switches inside is not turned into SIMD.
      if (operation == brightness) {
        planes.map(item, view, view, [=](const Pixel& in) { return blend({0, 0, 0}, in, factor); });
      } else if (operation == contrast) {
        const std::int32_t m = planes.mean_grey(item, view);
        planes.map(item, view, view, [=](const Pixel& in) { return blend({m, m, m}, in, factor); });
      } else if (operation == saturation) {
        planes.map(item, view, view, [=](const Pixel& in) { return blend(grey(in), in, factor); });
      } else if (p.hue_shift != kNone) {
        const std::int32_t shift = p.hue_shift;
        planes.map(item, view, view, [=](const Pixel& in) { return turn_hue(in, shift); });
      }
    }
    if (p.grayscale) planes.map(item, view, view, [](const Pixel& in) { return grey(in); });
  }
};
OPENCD_KERNEL(JitterColours, 1)

}  // namespace opencd::kernels
