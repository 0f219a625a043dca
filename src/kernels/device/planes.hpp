// An 8-bit picture in planes, red then green then blue, shared by one work-group. A grey picture has
// one plane that stands for all three.
#pragma once

#include "kernels/device/pixel.hpp"
#include "kernels/device/row_loop.hpp"

namespace opencd::kernels {

struct Planes {
  int pixels;
  int channels;

  // The loops below copy what they need of this struct into locals: it could otherwise change with
  // every byte they write, for all a compiler knows, and would be read again for every pixel.

  /// Every pixel of `out` becomes change(pixel of `in`); the two may be the same picture.
  template <class Change>
  void map(const sycl::nd_item<1>& item,
           const std::uint8_t* in,
           std::uint8_t* out,
           Change change) const {
    const int green = channels == 1 ? 0 : pixels;
    const int blue = 2 * green;
    for_each_column(item, pixels, [=](int i) {
      const Pixel p = change(Pixel{in[i], in[i + green], in[i + blue]});
      out[i] = static_cast<std::uint8_t>(p.r);
      out[i + green] = static_cast<std::uint8_t>(p.g);
      out[i + blue] = static_cast<std::uint8_t>(p.b);
    });
  }

  /// The mean grey, rounded.
  std::int32_t mean_grey(const sycl::nd_item<1>& item, const std::uint8_t* picture) const {
    const int green = channels == 1 ? 0 : pixels;
    const int blue = 2 * green;
    std::uint32_t sum = 0;
    for_each_column(item, pixels, [=, &sum](int i) {
      sum += static_cast<std::uint32_t>(luma({picture[i], picture[i + green], picture[i + blue]}));
    });
    const auto count = static_cast<std::uint32_t>(pixels);
    return static_cast<std::int32_t>((sum_over_group(item, sum) + count / 2) / count);
  }
};

}  // namespace opencd::kernels
