// FixMatch's operations on 8-bit views, from one buffer to another. One work-group a view; the view
// picks the operation. As Pillow computes them:
//   brightness, saturation, contrast, sharpness   blend with black, grey, mean grey, a 3 x 3 smoothing
//   autocontrast   channel by channel, lowest to 0 and highest to 255
//   equalise       channel by channel: (step / 2 + pixels darker than v) / step,
//                  step = (all pixels but the lightest ones) / 255; unchanged where step is 0
//   posterise, solarise   bit masks and thresholds of values
//   rotate, shear, translate   the nearest source pixel, black beyond the edges
// Assigns. Deterministic: counts are integers.
#pragma once

#include "kernels/device/augment_picture.hpp"
#include "kernels/device/pixel.hpp"
#include "kernels/device/planes.hpp"
#include "kernels/strong_operation.hpp"

namespace opencd::kernels {

struct ApplyStrong {
  const AugmentParameters* parameters;
  const StrongOperation* operations;
  const std::uint8_t* src;
  std::uint8_t* dst;
  std::uint32_t* histograms;  // 256 a view
  std::int32_t slot;          // which of the view's strong operations
  std::int32_t height;
  std::int32_t width;
  std::int32_t channels;

  /// Values through `change(value)`, all channels alike.
  template <class Change>
  void map_values(const sycl::nd_item<1>& item,
                  const std::uint8_t* in,
                  std::uint8_t* out,
                  int count,
                  Change change) const {
    for_each_column(item, count, [&](int i) {
      out[i] = static_cast<std::uint8_t>(change(std::int32_t{in[i]}));
    });
  }

  void autocontrast(const sycl::nd_item<1>& item, const std::uint8_t* in, std::uint8_t* out) const {
    std::int32_t low = 255;
    std::int32_t high = 0;
    for_each_column(item, height * width, [&](int i) {
      low = sycl::min(low, std::int32_t{in[i]});
      high = sycl::max(high, std::int32_t{in[i]});
    });
    low = min_over_group(item, low);
    high = max_over_group(item, high);
    const std::int32_t range = sycl::max(high - low, 1);
    const bool flat = high <= low;
    map_values(item, in, out, height * width,
               [=](std::int32_t v) { return flat ? v : divide((v - low) * 255, range); });
  }

  void equalise(const sycl::nd_item<1>& item, const std::uint8_t* in, std::uint8_t* out) const {
    using Count =
        sycl::atomic_ref<std::uint32_t, sycl::memory_order::relaxed, sycl::memory_scope::work_group,
                         sycl::access::address_space::global_space>;
    const auto group = item.get_group();
    std::uint32_t* bins = histograms + row_of(item) * 256;
    for_each_column(item, 256, [&](int i) { bins[i] = 0; });
    sycl::group_barrier(group);
    std::int32_t high = 0;
    for_each_column(item, height * width, [&](int i) {
      Count(bins[in[i]]) += 1;
      high = sycl::max(high, std::int32_t{in[i]});
    });
    sycl::group_barrier(group);
    const auto lightest = static_cast<std::int32_t>(bins[max_over_group(item, high)]);
    const std::int32_t step = (height * width - lightest) / 255;
    sycl::group_barrier(group);  // everybody has read the lightest bin
    sycl::joint_exclusive_scan(group, bins, bins + 256, bins, sycl::plus<std::uint32_t>());
    sycl::group_barrier(group);
    map_values(item, in, out, height * width, [=](std::int32_t v) {
      const std::int32_t n = step / 2 + static_cast<std::int32_t>(bins[v]);
      return step == 0 ? v : sycl::min(divide(n, sycl::max(step, 1)), 255);
    });
    sycl::group_barrier(group);  // the bins are free for the next channel
  }

  /// One channel through `at(x, y)`, a pixel at a time.
  template <class At>
  void map_places(const sycl::nd_item<1>& item, std::uint8_t* out, At at) const {
    for_each_column(item, height * width, [&](int i) {
      const int y = divide(i, width);
      out[i] = static_cast<std::uint8_t>(at(i - y * width, y));
    });
  }

  void sharpen(const sycl::nd_item<1>& item,
               const std::uint8_t* in,
               std::uint8_t* out,
               std::int32_t factor) const {
    map_places(item, out, [=, this](int x, int y) {
      const bool border = x == 0 || y == 0 || x == width - 1 || y == height - 1;
      const std::uint8_t* centre = in + y * width + x;
      const int up = border ? 0 : width;
      const int side = border ? 0 : 1;
      std::int32_t sum = 4 * centre[0];
      for (int row = -1; row <= 1; ++row)
        sum += centre[row * up - side] + centre[row * up] + centre[row * up + side];
      const std::int32_t smooth = (2 * sum + 13) / 26;  // the border, 13 times itself, stays
      return blend(smooth, std::int32_t{centre[0]}, factor);
    });
  }

  void transform(const sycl::nd_item<1>& item,
                 const std::uint8_t* in,
                 std::uint8_t* out,
                 const AffineMap& map) const {
    map_places(item, out, [=, this](int x, int y) {
      const int from_x = (map.xx * x + map.xy * y + map.x0) >> 16;
      const int from_y = (map.yx * x + map.yy * y + map.y0) >> 16;
      const bool inside = from_x >= 0 && from_x < width && from_y >= 0 && from_y < height;
      const std::uint8_t value = in[inside ? from_y * width + from_x : 0];
      return inside ? value : std::uint8_t{0};
    });
  }

  void operator()(sycl::nd_item<1> item) const {
    const int pixels = height * width;
    const std::size_t start = row_of(item) * static_cast<std::size_t>(pixels * channels);
    const std::uint8_t* in = src + start;
    std::uint8_t* out = dst + start;
    const std::int32_t place = parameters[row_of(item)].strong[slot];
    const StrongOperation& operation = operations[sycl::max(place, 0)];
    const StrongKind kind = place == kNone ? StrongKind::identity : operation.kind;
    const std::int32_t argument = operation.argument;
    const Planes planes{pixels, channels};
    switch (kind) {
      case StrongKind::autocontrast:
        for (int c = 0; c < channels; ++c) autocontrast(item, in + c * pixels, out + c * pixels);
        break;
      case StrongKind::equalise:
        for (int c = 0; c < channels; ++c) equalise(item, in + c * pixels, out + c * pixels);
        break;
      case StrongKind::sharpness:
        for (int c = 0; c < channels; ++c)
          sharpen(item, in + c * pixels, out + c * pixels, argument);
        break;
      case StrongKind::affine:
        for (int c = 0; c < channels; ++c)
          transform(item, in + c * pixels, out + c * pixels, operation.map);
        break;
      case StrongKind::saturation:
        planes.map(item, in, out, [=](const Pixel& p) { return blend(grey(p), p, argument); });
        break;
      case StrongKind::contrast: {
        const std::int32_t mean = planes.mean_grey(item, in);
        map_values(item, in, out, pixels * channels,
                   [=](std::int32_t v) { return blend(mean, v, argument); });
        break;
      }
      case StrongKind::brightness:
        map_values(item, in, out, pixels * channels,
                   [=](std::int32_t v) { return blend(0, v, argument); });
        break;
      case StrongKind::posterise:
        map_values(item, in, out, pixels * channels, [=](std::int32_t v) { return v & argument; });
        break;
      case StrongKind::solarise:
        map_values(item, in, out, pixels * channels,
                   [=](std::int32_t v) { return v < argument ? v : 255 - v; });
        break;
      case StrongKind::identity:
        map_values(item, in, out, pixels * channels, [](std::int32_t v) { return v; });
        break;
    }
  }
};
OPENCD_KERNEL(ApplyStrong, 1)

}  // namespace opencd::kernels
