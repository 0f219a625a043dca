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
  int tiles_down;
  std::size_t plane;  // floats from the matrix at one point to the next
};

/// The tile and the channel of one item.
struct WinogradTile {
  std::size_t index;
  std::size_t picture;
  int top;
  int left;
  std::size_t channel;

  WinogradTile(const sycl::nd_item<3>& item, const WinogradPictures& pictures) {
    const int line = static_cast<int>(item.get_group(0));
    const int across = static_cast<int>(item.get_group(1));
    picture = static_cast<std::size_t>(line / pictures.tiles_down);
    top = line % pictures.tiles_down * kWinogradTile;
    left = across * kWinogradTile;
    index = item.get_group(0) * item.get_group_range(1) + item.get_group(1);
    channel = item.get_global_id(2);
  }

  /// Where this channel of a pixel lies, pixels outside moved to the edge.
  std::size_t offset(const WinogradPictures& pictures, int y, int x) const {
    const int row = sycl::clamp(y, 0, pictures.height - 1);
    const int column = sycl::clamp(x, 0, pictures.width - 1);
    const std::size_t line =
        picture * static_cast<std::size_t>(pictures.height) + static_cast<std::size_t>(row);
    return (line * static_cast<std::size_t>(pictures.width) + static_cast<std::size_t>(column)) *
               static_cast<std::size_t>(pictures.channels) +
           channel;
  }
  static bool inside(const WinogradPictures& pictures, int y, int x) {
    return y >= 0 && y < pictures.height && x >= 0 && x < pictures.width;
  }

  /// The side x side pixels from `before` above and left of the tile on; zeros outside.
  template <int side>
  void load(const float* src,
            const WinogradPictures& pictures,
            int before,
            WinogradArray& d) const {
    written_out<side>([&](int i) {
      written_out<side>([&](int j) {
        const int y = top - before + i, x = left - before + j;
        const float value = src[offset(pictures, y, x)];
        d.at[kWinogradSide * i + j] = inside(pictures, y, x) ? value : 0.0f;
      });
    });
  }
  /// To and from the matrices at the points.
  void store_points(const WinogradArray& d, const WinogradPictures& pictures, float* dst) const {
    const auto channels = static_cast<std::size_t>(pictures.channels);
    float* first = dst + index * channels + channel;
    written_out<kWinogradPoints>([&](int point) { first[point * pictures.plane] = d.at[point]; });
  }
  void load_points(const float* src, const WinogradPictures& pictures, WinogradArray& d) const {
    const auto channels = static_cast<std::size_t>(pictures.channels);
    const float* first = src + index * channels + channel;
    written_out<kWinogradPoints>([&](int point) { d.at[point] = first[point * pictures.plane]; });
  }
};

}  // namespace opencd::kernels
