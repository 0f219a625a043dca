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
    if (p.jitter)
      for (int k = 0; k < 4; ++k) apply(item, p.order[k], p, view);
    if (p.grayscale) change(item, view, [](const Pixel& in) { return grey(in); });
  }

  Planes planes() const { return {pixels, channels}; }

  /// Every pixel of the view through `body`. One loop an operation: CPU drivers do not turn a loop
  /// over pixels with the choice of operation inside into SIMD code.
  template <class Body>
  void change(const sycl::nd_item<1>& item, std::uint8_t* view, Body body) const {
    planes().map(item, view, view, body);
  }

  void apply(const sycl::nd_item<1>& item,
             ColourOperation operation,
             const AugmentParameters& p,
             std::uint8_t* view) const {
    switch (operation) {
      case ColourOperation::brightness:
        change(item, view, [f = p.brightness](const Pixel& in) { return blend({0, 0, 0}, in, f); });
        break;
      case ColourOperation::contrast: {
        const std::int32_t m = planes().mean_grey(item, view);
        change(item, view,
               [m, f = p.contrast](const Pixel& in) { return blend({m, m, m}, in, f); });
        break;
      }
      case ColourOperation::saturation:
        change(item, view, [f = p.saturation](const Pixel& in) { return blend(grey(in), in, f); });
        break;
      case ColourOperation::hue:
        if (p.hue_shift != kNone)
          change(item, view,
                 [shift = p.hue_shift](const Pixel& in) { return turn_hue(in, shift); });
        break;
    }
  }
};
OPENCD_KERNEL(JitterColours, 1)

}  // namespace opencd::kernels
