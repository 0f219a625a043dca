// The last stage: 8-bit views to the network's input, f32 in planes (NCHW), with the cutout filled.
//   out = value * scale + offset,  scale = 1 / (255 std),  offset = -mean / std
// as one fused multiply-add, which every device rounds alike. One item a pixel; assigns.
#pragma once

#include "kernels/device/augment_picture.hpp"

namespace opencd::kernels {

/// One number a channel. Not an array: indexing an argument by a variable would make every item keep
/// a copy of all arguments in memory.
struct PerChannel {
  float first;
  float second;
  float third;

  float of(int channel) const { return channel == 0 ? first : channel == 1 ? second : third; }
};

struct FinishViews {
  const std::uint8_t* src;
  const AugmentParameters* parameters;
  float* dst;
  std::int32_t height;
  std::int32_t width;
  std::int32_t channels;
  std::int32_t cutout_value;
  PerChannel scale;
  PerChannel offset;

  void operator()(sycl::nd_item<3> item) const {
    const PixelPlace at(item);
    if (at.x < width && at.y < height) {
      const PixelBox& hole = parameters[at.view].cutout;
      const bool cut = at.y >= hole.top && at.y < hole.top + hole.height && at.x >= hole.left &&
                       at.x < hole.left + hole.width;
      const std::size_t start = (at.view * channels * height + at.y) * width + at.x;
      for (int c = 0; c < channels; ++c) {
        const std::size_t i = start + static_cast<std::size_t>(c * height * width);
        const int value = cut ? cutout_value : src[i];
        dst[i] = sycl::fma(static_cast<float>(value), scale.of(c), offset.of(c));
      }
    }
  }
};
OPENCD_KERNEL(FinishViews, 3)

}  // namespace opencd::kernels
