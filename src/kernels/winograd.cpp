#include "kernels/winograd.hpp"

#include "kernels/check.hpp"
#include "kernels/column_lanes.hpp"
#include "kernels/device/winograd.hpp"
#include "kernels/launch.hpp"

namespace opencd::kernels {

static_assert(kWinogradMatrices == kWinogradPoints);

namespace {

constexpr std::size_t kFilter = 9;  // weights of one pair of channels

WinogradPictures pictures_of(const char* operation,
                             const NhwcShape& shape,
                             std::size_t pictures,
                             std::size_t points) {
  require_equal(operation, "floats in pictures", shape.size(), pictures);
  require_equal(operation, "floats at the points", shape.winograd_size(), points);
  to_int(operation, shape.count * shape.tiles_down());
  return {to_int(operation, shape.height), to_int(operation, shape.width),
          to_int(operation, shape.channels), to_int(operation, shape.tiles_across()),
          shape.plane()};
}

template <class Body>
void launch_tiles(Device& device, const NhwcShape& shape, const Body& body) {
  if (shape.size() == 0) return;
  const std::size_t lanes = column_lanes(device, shape.channels);
  launch(device,
         sycl::nd_range<3>({shape.count, shape.tiles_down(), shape.channels}, {1, 1, lanes}), body);
}

/// Pairs of channels, of which both sides must have the same number.
std::size_t pairs_of(const char* operation, std::size_t weights, std::size_t points) {
  const std::size_t pairs = weights / kFilter;
  require_equal(operation, "weights, nine a pair of channels", pairs * kFilter, weights);
  require_equal(operation, "floats at the points", pairs * kWinogradMatrices, points);
  return pairs;
}

}  // namespace

void winograd_src(Device& device,
                  const NhwcShape& shape,
                  View<const float> src,
                  View<float> points) {
  const auto pictures = pictures_of("winograd_src", shape, src.size, points.size);
  launch_tiles(device, shape, WinogradSrc{src.data, points.data, pictures});
}

void winograd_dst(Device& device,
                  const NhwcShape& shape,
                  View<const float> points,
                  View<float> dst,
                  const WinogradFinish& finish) {
  const auto pictures = pictures_of("winograd_dst", shape, dst.size, points.size);
  if (finish.bias.data != nullptr)
    require_equal("winograd_dst", "entries of the bias", shape.channels, finish.bias.size);
  launch_tiles(device, shape,
               WinogradDst{points.data, finish.bias.data, dst.data, pictures, finish.add ? 1 : 0,
                           finish.relu ? 1 : 0});
}

void winograd_diff_dst(Device& device,
                       const NhwcShape& shape,
                       View<const float> diff_dst,
                       View<float> points) {
  const auto pictures = pictures_of("winograd_diff_dst", shape, diff_dst.size, points.size);
  launch_tiles(device, shape, WinogradDiffDst{diff_dst.data, points.data, pictures});
}

void winograd_weights(Device& device, View<const float> weights, View<float> points, bool turned) {
  const std::size_t pairs = pairs_of("winograd_weights", weights.size, points.size);
  launch_elements(device, pairs, WinogradWeights{weights.data, points.data, pairs, turned ? 1 : 0});
}

void winograd_diff_weights(Device& device, View<const float> points, View<float> diff_weights) {
  const std::size_t pairs = pairs_of("winograd_diff_weights", diff_weights.size, points.size);
  launch_elements(device, pairs, WinogradDiffWeights{points.data, diff_weights.data, pairs});
}

}  // namespace opencd::kernels
