// The kernels of Winograd's convolution (winograd_columns.hpp has the formulas): pictures, gradients
// and filters to the 36 points and back. What lies between are matrix products, one a point.
// Pictures: one item a line of tiles and channel, the items of a work-group side by side in the channels
// of one line. Filters: one item a pair of channels.
// All assign.
#pragma once

#include "kernels/device/winograd_tile.hpp"

namespace opencd::kernels {

struct WinogradSrc {
  const float* src;
  float* dst;  // points x tiles x channels
  WinogradPictures pictures;
  void operator()(sycl::nd_item<3> item) const {
    for_each_tile(item, pictures, [&](const WinogradTile& tile) OPENCD_INLINE {
      WinogradArray d;
      tile.load<kWinogradSide>(src, pictures, 1, d);
      d.transform<kWinogradSide, kWinogradSide>(WinogradSrcColumn{});
      tile.store_points(d, pictures, dst);
    });
  }
};
OPENCD_KERNEL(WinogradSrc, 3)

struct WinogradDiffDst {
  const float* src;
  float* dst;  // points x tiles x channels
  WinogradPictures pictures;
  void operator()(sycl::nd_item<3> item) const {
    for_each_tile(item, pictures, [&](const WinogradTile& tile) OPENCD_INLINE {
      WinogradArray d;
      tile.load<kWinogradTile>(src, pictures, 0, d);
      d.transform<kWinogradTile, kWinogradSide>(WinogradDiffDstColumn{});
      tile.store_points(d, pictures, dst);
    });
  }
};
OPENCD_KERNEL(WinogradDiffDst, 3)

/// With `bias`, and what dst holds if `add`, added, and ReLU on top if asked for.
struct WinogradDst {
  const float* src;  // points x tiles x channels
  const float* bias;
  float* dst;
  WinogradPictures pictures;
  int add;
  int relu;
  void operator()(sycl::nd_item<3> item) const {
    for_each_tile(item, pictures, [&](const WinogradTile& tile) OPENCD_INLINE {
      WinogradArray d;
      tile.load_points(src, pictures, d);
      d.transform<kWinogradSide, kWinogradTile>(WinogradDstColumn{});
      const float shift = bias != nullptr ? bias[tile.channel] : 0.0f;
      const float least = relu != 0 ? 0.0f : -kInfinity;
      written_out<kWinogradTile>([&](int i) OPENCD_INLINE {
        written_out<kWinogradTile>([&](int j) OPENCD_INLINE {
          const int y = tile.top + i, x = tile.left + j;
          if (tile.inside(pictures, y, x)) {
            float* pixel = dst + tile.offset(pictures, y, x);
            const float before = add != 0 ? *pixel : 0.0f;
            const float value = d.at[kWinogradSide * i + j] + shift + before;
            *pixel = value < least ? least : value;  // NaN stays NaN
          }
        });
      });
    });
  }
};
OPENCD_KERNEL(WinogradDst, 3)

/// One item a pair of channels. `turned`: the filter for the gradient by data.
struct WinogradWeights {
  const float* src;  // 3 x 3 x pairs
  float* dst;        // points x pairs
  std::size_t pairs;
  int turned;
  void operator()(sycl::nd_item<1> item) const {
    const std::size_t pair = element_of(item);
    if (pair < pairs) {
      WinogradArray g;
      written_out<3>([&](int i) OPENCD_INLINE {
        written_out<3>([&](int j) OPENCD_INLINE {
          const int k = 3 * i + j;
          g.at[kWinogradSide * i + j] = src[(turned != 0 ? 8 - k : k) * pairs + pair];
        });
      });
      g.transform<3, kWinogradSide>(WinogradWeightsColumn{});
      written_out<kWinogradPoints>([&](int point)
                                       OPENCD_INLINE { dst[point * pairs + pair] = g.at[point]; });
    }
  }
};
OPENCD_KERNEL(WinogradWeights, 1)

struct WinogradDiffWeights {
  const float* src;  // points x pairs
  float* dst;        // 3 x 3 x pairs
  std::size_t pairs;
  void operator()(sycl::nd_item<1> item) const {
    const std::size_t pair = element_of(item);
    if (pair < pairs) {
      WinogradArray u;
      written_out<kWinogradPoints>([&](int point)
                                       OPENCD_INLINE { u.at[point] = src[point * pairs + pair]; });
      u.transform<kWinogradSide, 3>(WinogradDiffWeightsColumn{});
      written_out<3>([&](int i) OPENCD_INLINE {
        written_out<3>([&](int j) OPENCD_INLINE {
          dst[(3 * i + j) * pairs + pair] = u.at[kWinogradSide * i + j];
        });
      });
    }
  }
};
OPENCD_KERNEL(WinogradDiffWeights, 1)

}  // namespace opencd::kernels
