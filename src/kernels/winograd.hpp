// Winograd's F(4x4, 3x3) around the matrix products: launchers of device/winograd.hpp. At each of
// the 36 points lies one matrix, of tiles x channels for pictures and of in x out for filters.
#pragma once

#include "kernels/memory.hpp"

namespace opencd::kernels {

/// Points at which tiles and filters are multiplied.
inline constexpr std::size_t kWinogradMatrices = 36;

/// Pictures with the channels innermost.
struct NhwcShape {
  std::size_t count = 0;
  std::size_t height = 0;
  std::size_t width = 0;
  std::size_t channels = 0;

  std::size_t size() const { return count * height * width * channels; }
  /// Tiles of 4 x 4 pixels in one picture, those over the edge included.
  std::size_t tiles_down() const { return (height + 3) / 4; }
  std::size_t tiles_across() const { return (width + 3) / 4; }
  std::size_t tiles() const { return tiles_down() * tiles_across(); }
  /// Floats of the matrix at one point. A line of cache more than it needs: at a distance of a
  /// power of two, 36 matrices would fight for the same few places in the caches.
  std::size_t plane() const { return count * tiles() * channels + 16; }
  /// Floats at all points of all pictures.
  std::size_t winograd_size() const { return kWinogradMatrices * plane(); }
};

/// What happens to the outputs of a convolution on their way to memory.
struct WinogradFinish {
  View<const float> bias;  // by channel; empty for none
  bool add = false;        // what dst holds is added
  bool relu = false;
};

void winograd_src(Device& device,
                  const NhwcShape& shape,
                  View<const float> src,
                  View<float> points);
void winograd_dst(Device& device,
                  const NhwcShape& shape,
                  View<const float> points,
                  View<float> dst,
                  const WinogradFinish& finish = {});
void winograd_diff_dst(Device& device,
                       const NhwcShape& shape,
                       View<const float> diff_dst,
                       View<float> points);

/// Filters of 3 x 3 x in x out. `turned`: for the gradient by data.
void winograd_weights(Device& device, View<const float> weights, View<float> points, bool turned);
void winograd_diff_weights(Device& device, View<const float> points, View<float> diff_weights);

}  // namespace opencd::kernels
