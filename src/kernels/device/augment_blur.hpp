// Gaussian blur of the 8-bit views that ask for it, in place, with reflected edges: along rows into
// 16 bits (8 after the point), then along columns back into 8 bits.
//   between[y][x] = sum_d w_|d| in[y][x + d],   out[y][x] = sum_d w_|d| between[y + d][x]
// Weights are units of 2^-16 that sum to 2^16, a row of the table for every level of sigma.
// One item a pixel of one channel (the planes of a view follow each other as rows). Both assign.
#pragma once

#include "kernels/device/augment_picture.hpp"

namespace opencd::kernels {

/// A table of blur_table.hpp on the device.
struct BlurWeights {
  const std::uint32_t* entries;
  std::int32_t radius;

  const std::uint32_t* of_level(int level) const { return entries + level * (radius + 1); }
};

struct BlurRows {
  const std::uint8_t* src;
  const AugmentParameters* parameters;
  BlurWeights weights;
  std::uint16_t* dst;
  std::int32_t rows;  // of all planes of a view
  std::int32_t width;

  void operator()(sycl::nd_item<3> item) const {
    const PixelPlace at(item);
    const std::int32_t level = parameters[at.view].blur;
    if (level != kNone && at.x < width && at.y < rows) {
      const std::uint32_t* w = weights.of_level(sycl::max(level, 0));
      const std::size_t start = (at.view * rows + at.y) * width;
      const std::uint8_t* row = src + start;
      std::uint32_t sum = 128 + w[0] * row[at.x];
      for (int d = 1; d <= weights.radius; ++d)
        sum += w[d] * (row[reflected(at.x - d, width)] + row[reflected(at.x + d, width)]);
      dst[start + at.x] = static_cast<std::uint16_t>(sum >> 8);
    }
  }
};
OPENCD_KERNEL(BlurRows, 3)

struct BlurColumns {
  const std::uint16_t* src;
  const AugmentParameters* parameters;
  BlurWeights weights;
  std::uint8_t* dst;
  std::int32_t height;
  std::int32_t width;
  std::int32_t channels;

  void operator()(sycl::nd_item<3> item) const {
    const PixelPlace at(item);
    const std::int32_t level = parameters[at.view].blur;
    if (level != kNone && at.x < width && at.y < height * channels) {
      const std::uint32_t* w = weights.of_level(sycl::max(level, 0));
      const int plane = at.y / height;
      const int y = at.y - plane * height;
      const std::size_t start = (at.view * channels + plane) * height * width + at.x;
      const std::uint16_t* column = src + start;
      std::uint32_t sum = (1u << 23) + w[0] * column[y * width];
      for (int d = 1; d <= weights.radius; ++d)
        sum += w[d] * (std::uint32_t{column[reflected(y - d, height) * width]} +
                       column[reflected(y + d, height) * width]);
      dst[start + y * width] = static_cast<std::uint8_t>(sum >> 24);
    }
  }
};
OPENCD_KERNEL(BlurColumns, 3)

}  // namespace opencd::kernels
