// Colour jitter and grayscale of 8-bit views, in place. One work-group a view.
//   brightness  blend with black           contrast  blend with the picture's mean grey, rounded
//   saturation  blend with the own grey    hue       turned in HSV
// in the order of the view's parameters. Every item meets the same pixels in every pass, so no
// barrier is needed but the group's sum that contrast takes.
#pragma once

#include "kernels/device/augment_picture.hpp"
#include "kernels/device/pixel.hpp"

namespace opencd::kernels {

struct JitterColours {
  const AugmentParameters* parameters;
  std::uint8_t* views;
  std::int32_t pixels;
  std::int32_t channels;

  /// Replaces every pixel of the view by change(pixel).
  template <class Change>
  void for_each_pixel(const sycl::nd_item<1>& item, std::uint8_t* view, Change change) const {
    const int green = channels == 1 ? 0 : pixels;  // grey pictures: one plane, read and written thrice
    const int blue = 2 * green;
    for_each_column(item, pixels, [&](int i) {
      const Pixel out = change(Pixel{view[i], view[i + green], view[i + blue]});
      view[i] = static_cast<std::uint8_t>(out.r);
      view[i + green] = static_cast<std::uint8_t>(out.g);
      view[i + blue] = static_cast<std::uint8_t>(out.b);
    });
  }

  /// The mean grey of the view, rounded.
  std::int32_t mean_grey(const sycl::nd_item<1>& item, const std::uint8_t* view) const {
    const int green = channels == 1 ? 0 : pixels;
    std::uint32_t sum = 0;
    for_each_column(item, pixels, [&](int i) {
      sum += static_cast<std::uint32_t>(luma({view[i], view[i + green], view[i + 2 * green]}));
    });
    const auto count = static_cast<std::uint32_t>(pixels);
    return static_cast<std::int32_t>((sum_over_group(item, sum) + count / 2) / count);
  }

  void operator()(sycl::nd_item<1> item) const {
    const AugmentParameters& p = parameters[row_of(item)];
    std::uint8_t* view = views + row_of(item) * static_cast<std::size_t>(pixels * channels);
    for (int k = 0; k < 4 && p.jitter; ++k) {
      const int operation = p.order[k];
      const std::int32_t factor = p.factor[operation < hue ? operation : 0];
      if (operation == brightness) {
        for_each_pixel(item, view, [=](const Pixel& in) { return blend({0, 0, 0}, in, factor); });
      } else if (operation == contrast) {
        const std::int32_t m = mean_grey(item, view);
        for_each_pixel(item, view, [=](const Pixel& in) { return blend({m, m, m}, in, factor); });
      } else if (operation == saturation) {
        for_each_pixel(item, view, [=](const Pixel& in) { return blend(grey(in), in, factor); });
      } else if (p.hue_shift != kNone) {
        const std::int32_t shift = p.hue_shift;
        for_each_pixel(item, view, [=](const Pixel& in) { return turn_hue(in, shift); });
      }
    }
    if (p.grayscale) for_each_pixel(item, view, [](const Pixel& in) { return grey(in); });
  }
};
OPENCD_KERNEL(JitterColours, 1)

}  // namespace opencd::kernels
