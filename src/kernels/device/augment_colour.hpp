// Colour jitter and grayscale of 8-bit views, in place. One work-group a view.
//   brightness  blend with black           contrast  blend with the picture's mean grey, rounded
//   saturation  blend with the own grey    hue       turned in HSV
// in the order of the view's parameters. The contrast operation needs the mean of what the
// operations before it made: those run first, over all pixels, the rest in a second pass.
// Every item meets the same pixels in both passes, so no barrier is needed but the group's sum.
#pragma once

#include "kernels/device/augment_picture.hpp"
#include "kernels/device/pixel.hpp"

namespace opencd::kernels {

struct JitterColours {
  const AugmentParameters* parameters;
  std::uint8_t* views;
  std::int32_t pixels;
  std::int32_t channels;

  Pixel load(const std::uint8_t* view, int i) const {
    if (channels == 1) return {view[i], view[i], view[i]};
    return {view[i], view[i + pixels], view[i + 2 * pixels]};
  }

  void store(std::uint8_t* view, int i, const Pixel& p) const {
    view[i] = static_cast<std::uint8_t>(p.r);
    if (channels == 1) return;
    view[i + pixels] = static_cast<std::uint8_t>(p.g);
    view[i + 2 * pixels] = static_cast<std::uint8_t>(p.b);
  }

  static Pixel apply(const AugmentParameters& p,
                     int operation,
                     std::int32_t mean,
                     const Pixel& in) {
    switch (operation) {
      case brightness: return blend(Pixel{0, 0, 0}, in, p.factor[brightness]);
      case contrast: return blend(Pixel{mean, mean, mean}, in, p.factor[contrast]);
      case saturation: return blend(grey(in), in, p.factor[saturation]);
      default: return p.hue_shift == kNone ? in : turn_hue(in, p.hue_shift);
    }
  }

  /// The mean grey, rounded, after the operations before contrast; their result is stored.
  std::int32_t mean_before_contrast(const sycl::nd_item<1>& item,
                                    const AugmentParameters& p,
                                    int before,
                                    std::uint8_t* view) const {
    std::uint32_t sum = 0;
    for_each_column(item, pixels, [&](int i) {
      Pixel pixel = load(view, i);
      for (int k = 0; k < before; ++k) pixel = apply(p, p.order[k], 0, pixel);
      if (before > 0) store(view, i, pixel);
      sum += static_cast<std::uint32_t>(luma(pixel));
    });
    const auto count = static_cast<std::uint32_t>(pixels);
    return static_cast<std::int32_t>((sum_over_group(item, sum) + count / 2) / count);
  }

  void operator()(sycl::nd_item<1> item) const {
    const AugmentParameters& p = parameters[row_of(item)];
    std::uint8_t* view = views + row_of(item) * static_cast<std::size_t>(pixels * channels);
    if (!p.jitter && !p.grayscale) return;
    int before = 0;
    std::int32_t mean = 0;
    if (p.jitter) {
      while (p.order[before] != contrast) ++before;
      mean = mean_before_contrast(item, p, before, view);
    }
    const int last = p.jitter ? 4 : 0;
    for_each_column(item, pixels, [&](int i) {
      Pixel pixel = load(view, i);
      for (int k = before; k < last; ++k) pixel = apply(p, p.order[k], mean, pixel);
      store(view, i, p.grayscale ? grey(pixel) : pixel);
    });
  }
};
OPENCD_KERNEL(JitterColours, 1)

}  // namespace opencd::kernels
