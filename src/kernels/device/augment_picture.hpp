// Pictures as the augmentation kernels see them. Sources are rows of bytes, height x width x
// channels; between stages a view is 8 bits a value in planes, channels x height x width, so that
// neighbouring items touch neighbouring bytes; the last stage writes f32 planes.
#pragma once

#include "kernels/augment_parameters.hpp"
#include "kernels/device/row_loop.hpp"

namespace opencd::kernels {

/// Where the bytes of the pictures of a batch lie.
struct PictureSource {
  const std::uint8_t* pixels;
  const std::int32_t* rows;  // row numbers of the batch
  std::int32_t gathered;     // 1: picture i of the batch lies at place i, else at place rows[i]
  std::int32_t height;
  std::int32_t width;
  std::int32_t channels;

  const std::uint8_t* picture(std::size_t i) const {
    const std::size_t place = gathered ? i : static_cast<std::size_t>(rows[i]);
    return pixels + place * static_cast<std::size_t>(height * width * channels);
  }
};

/// A place in a grid of views x height x width; one item a pixel, the columns side by side.
struct PixelPlace {
  std::size_t view;
  int y;
  int x;

  explicit PixelPlace(const sycl::nd_item<3>& item)
      : view(item.get_group(0)),
        y(static_cast<int>(item.get_global_id(1))),
        x(static_cast<int>(item.get_global_id(2))) {}
};

/// `i` brought back into 0 .. size - 1 by reflection at the edges; it lies less than `size` outside.
inline int reflected(int i, int size) {
  const int positive = i < 0 ? -i : i;
  return positive < size ? positive : 2 * (size - 1) - positive;
}

}  // namespace opencd::kernels
