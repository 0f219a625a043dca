// Cutting a view out of its picture: flip, then crop. Two ways, both exact in 8 bits.
//   resized  Pillow's bilinear resize of a box, first along rows, then along columns, rounded to 8
//            bits in between:  out = (2^21 + sum_t weight_t in_t) >> 22
//            (Pillow 13 begins with columns where the height shrinks more; versions before, which
//            published results came from, never do. The two orders differ by one grey level.)
//            Weights and first taps come from a table by the size of the box (resample_table.hpp).
//            Weights are never negative and sum to 2^22 within a few units: no result needs clamping.
//   moved    out[y][x] = in[y + top][x + left], beyond the edges zero or reflected (the edge itself
//            is not repeated)
// One item a pixel of all its channels. Both assign.
#pragma once

#include "kernels/device/augment_picture.hpp"

namespace opencd::kernels {

/// A table of resample_table.hpp on the device.
struct ResampleWeights {
  const std::int32_t* taps;
  const std::int32_t* entries;
  std::int32_t block;
  std::int32_t pitch;

  const std::int32_t* of_size(int size) const {
    return entries + static_cast<std::size_t>(size) * block;
  }
};

/// Rows of the box to the view's width: planes of `source.height` rows, of which the box's are
/// written, `pitch` columns each. Columns beyond the view's width weigh nothing: to compute them
/// costs less than to leave them out.
struct ResizeRows {
  PictureSource source;
  const AugmentParameters* parameters;
  ResampleWeights weights;
  std::uint8_t* dst;

  void operator()(sycl::nd_item<3> item) const {
    const PixelPlace at(item);
    const AugmentParameters& p = parameters[at.view];
    if (at.y < p.crop.height) {
      const std::int32_t* table = weights.of_size(p.crop.width) + at.x;
      const int taps = weights.taps[p.crop.width];
      const int channels = source.channels;
      const int pitch = weights.pitch;
      // A flipped picture is read from right to left.
      const int step = p.flip ? -channels : channels;
      const int left = p.flip ? source.width - 1 - p.crop.left : p.crop.left;
      const std::uint8_t* row = source.picture(at.view) +
                                ((p.crop.top + at.y) * source.width + left) * channels +
                                table[0] * step;
      std::uint8_t* out = dst + (at.view * channels * source.height + at.y) * pitch + at.x;
      for (int c = 0; c < channels; ++c) {
        std::int32_t sum = 1 << (kResampleBits - 1);
        for (int t = 0; t < taps; ++t) sum += table[(1 + t) * pitch] * row[t * step + c];
        out[c * source.height * pitch] = static_cast<std::uint8_t>(sum >> kResampleBits);
      }
    }
  }
};
OPENCD_KERNEL(ResizeRows, 3)

/// Columns of what ResizeRows made to the view's height.
struct ResizeColumns {
  const std::uint8_t* src;
  const AugmentParameters* parameters;
  ResampleWeights weights;
  std::uint8_t* dst;
  std::int32_t src_height;
  std::int32_t src_pitch;
  std::int32_t height;
  std::int32_t width;
  std::int32_t channels;

  void operator()(sycl::nd_item<3> item) const {
    const PixelPlace at(item);
    if (at.y < height) {
      const int size = parameters[at.view].crop.height;
      const std::int32_t* table = weights.of_size(size) + at.y;
      const int taps = weights.taps[size];
      const std::uint8_t* in =
          src + (at.view * channels * src_height + table[0]) * src_pitch + at.x;
      std::uint8_t* out = dst + (at.view * channels * height + at.y) * width + at.x;
      for (int c = 0; c < channels; ++c) {
        std::int32_t sum = 1 << (kResampleBits - 1);
        for (int t = 0; t < taps; ++t)
          sum += table[(1 + t) * weights.pitch] * in[(c * src_height + t) * src_pitch];
        if (at.x < width) out[c * height * width] = static_cast<std::uint8_t>(sum >> kResampleBits);
      }
    }
  }
};
OPENCD_KERNEL(ResizeColumns, 3)

struct MovePicture {
  PictureSource source;
  const AugmentParameters* parameters;
  std::uint8_t* dst;
  std::int32_t reflect;

  void operator()(sycl::nd_item<3> item) const {
    const PixelPlace at(item);
    const int height = source.height;
    const int width = source.width;
    if (at.x < width && at.y < height) {
      const AugmentParameters& p = parameters[at.view];
      const int y = at.y + p.crop.top;
      const int x = at.x + p.crop.left;
      const bool inside = reflect || (y >= 0 && y < height && x >= 0 && x < width);
      const int from = reflected(x, width);
      const int column = p.flip ? width - 1 - from : from;
      const std::uint8_t* in =
          source.picture(at.view) + (reflected(y, height) * width + column) * source.channels;
      std::uint8_t* out = dst + (at.view * source.channels * height + at.y) * width + at.x;
      for (int c = 0; c < source.channels; ++c)
        out[c * height * width] = inside ? in[c] : std::uint8_t{0};
    }
  }
};
OPENCD_KERNEL(MovePicture, 3)

}  // namespace opencd::kernels
