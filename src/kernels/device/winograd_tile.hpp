// One tile of a picture as one item of Winograd's kernels sees it: where its pixels lie, and where its
// numbers at the 36 points.
#pragma once

#include "kernels/device/winograd_columns.hpp"

namespace opencd::kernels {

/// Pictures with the channels innermost, cut into tiles.
struct WinogradPictures {
  int height;
  int width;
  int channels;
  int tiles_across;
  std::size_t plane;  // floats from the matrix at one point to the next
};

/// One tile and channel.
struct WinogradTile {
  std::size_t index;
  std::size_t picture;
  int top;
  int left;
  std::size_t channel;

  /// Where this channel of a pixel lies, pixels outside moved to the edge. Not by sycl::clamp: CPU
  /// drivers widen built-in functions, and with them an offset that all items share.
  OPENCD_INLINE std::size_t offset(const WinogradPictures& pictures, int y, int x) const {
    const std::size_t line = picture * static_cast<std::size_t>(pictures.height) +
                             static_cast<std::size_t>(within(y, pictures.height));
    const std::size_t pixel = line * static_cast<std::size_t>(pictures.width) +
                              static_cast<std::size_t>(within(x, pictures.width));
    return pixel * static_cast<std::size_t>(pictures.channels) + channel;
  }
  OPENCD_INLINE static int within(int position, int length) {
    return position < 0 ? 0 : position < length ? position : length - 1;
  }
  OPENCD_INLINE static bool inside(const WinogradPictures& pictures, int y, int x) {
    return y >= 0 && y < pictures.height && x >= 0 && x < pictures.width;
  }

  /// The side x side pixels from `before` above and left of the tile on; zeros outside.
  template <int side>
  OPENCD_INLINE void load(const float* src,
                          const WinogradPictures& pictures,
                          int before,
                          WinogradArray& d) const {
    written_out<side>([&](int i) OPENCD_INLINE {
      written_out<side>([&](int j) OPENCD_INLINE {
        const int y = top - before + i, x = left - before + j;
        const float value = src[offset(pictures, y, x)];
        d.at[kWinogradSide * i + j] = inside(pictures, y, x) ? value : 0.0f;
      });
    });
  }
  /// To and from the matrices at the points.
  OPENCD_INLINE void store_points(const WinogradArray& d,
                                  const WinogradPictures& pictures,
                                  float* dst) const {
    const auto channels = static_cast<std::size_t>(pictures.channels);
    float* first = dst + index * channels + channel;
    written_out<kWinogradPoints>(
        [&](int point) OPENCD_INLINE { first[point * pictures.plane] = d.at[point]; });
  }
  OPENCD_INLINE void load_points(const float* src,
                                 const WinogradPictures& pictures,
                                 WinogradArray& d) const {
    const auto channels = static_cast<std::size_t>(pictures.channels);
    const float* first = src + index * channels + channel;
    written_out<kWinogradPoints>(
        [&](int point) OPENCD_INLINE { d.at[point] = first[point * pictures.plane]; });
  }
};

/// Calls body(tile) for the tiles of one line of a picture, in one channel: what one item does. Found
/// without a division and without a guard, so that CPU drivers see that neighbouring items read
/// neighbouring floats; otherwise they gather, at half the speed.
template <class Body>
OPENCD_INLINE inline void for_each_tile(const sycl::nd_item<3>& item,
                                        const WinogradPictures& pictures,
                                        Body body) {
  const std::size_t line = item.get_global_id(0) * item.get_global_range(1) + item.get_global_id(1);
  for (int across = 0; across < pictures.tiles_across; ++across)
    body(WinogradTile{
        line * static_cast<std::size_t>(pictures.tiles_across) + static_cast<std::size_t>(across),
        item.get_global_id(0), static_cast<int>(item.get_global_id(1)) * kWinogradTile,
        across * kWinogradTile, item.get_global_id(2)});
}

}  // namespace opencd::kernels
