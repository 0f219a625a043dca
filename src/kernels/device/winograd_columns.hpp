// Winograd's minimal filtering F(4x4, 3x3): a 3x3 convolution of stride 1 with a quarter of the
// multiplications. Pictures are cut into tiles of 4x4 outputs; with d the 6x6 inputs under a tile,
// g the filter, and (*) a product at each of the 36 points, which sums over channels as a matrix
// product,
//   forward       y  = A' [ (G g G') (*) (B' d B) ] A
//   by weights    dg = G' [ (B' d B) (*) (A dy A') ] G, summed over tiles
//   by data       the forward pass on dy with the filter turned round
// Interpolation points 0, +-3/4, +-3/2 and infinity keep all entries of the matrices near 1: errors
// are within twice those of plain summation, where the textbook's points (0, +-1, +-2) lose a digit.
// Matrices act on both sides, so each kernel applies a transform of one column of six to the columns
// and then to the rows of a 6x6 array.
#pragma once

#include "kernels/device/row_loop.hpp"

#include <utility>

namespace opencd::kernels {

inline constexpr int kWinogradTile = 4;
inline constexpr int kWinogradSide = 6;
inline constexpr int kWinogradPoints = kWinogradSide * kWinogradSide;

/// Calls body(0) ... body(count - 1), written out: arrays stay in registers.
template <class Body, int... i>
OPENCD_INLINE inline void written_out(std::integer_sequence<int, i...>, Body body) {
  (body(i), ...);
}
template <int count, class Body>
OPENCD_INLINE inline void written_out(Body body) {
  written_out(std::make_integer_sequence<int, count>(), body);
}

/// The points +-a and +-b, and what the transforms of one column below need of them. All work in
/// place; entries lie `step` apart.
struct WinogradColumn {
  static constexpr float a = 0.75f, b = 1.5f;
  static constexpr float a2 = a * a, b2 = b * b;
  // Factors of the filter's transform: 1 / (product of the distances to all other points).
  static constexpr float g0 = 64.0f / 81.0f, ga = -128.0f / 243.0f, gb = 32.0f / 243.0f;
};

/// B': six inputs to six points.
struct WinogradSrcColumn : WinogradColumn {
  OPENCD_INLINE void operator()(float* x, int step) const {
    const float x1 = x[step], x2 = x[2 * step], x3 = x[3 * step], x4 = x[4 * step];
    const float even_a = x4 - b2 * x2, odd_a = a * (x3 - b2 * x1);
    const float even_b = x4 - a2 * x2, odd_b = b * (x3 - a2 * x1);
    x[0] = a2 * b2 * x[0] - (a2 + b2) * x2 + x4;
    x[5 * step] = a2 * b2 * x1 - (a2 + b2) * x3 + x[5 * step];
    x[step] = even_a + odd_a;
    x[2 * step] = even_a - odd_a;
    x[3 * step] = even_b + odd_b;
    x[4 * step] = even_b - odd_b;
  }
};
/// A': six points to four outputs.
struct WinogradDstColumn : WinogradColumn {
  OPENCD_INLINE void operator()(float* x, int step) const {
    const float sum_a = x[step] + x[2 * step], difference_a = x[step] - x[2 * step];
    const float sum_b = x[3 * step] + x[4 * step], difference_b = x[3 * step] - x[4 * step];
    x[0] += sum_a + sum_b;
    x[step] = a * difference_a + b * difference_b;
    x[2 * step] = a2 * sum_a + b2 * sum_b;
    x[3 * step] = a2 * a * difference_a + b2 * b * difference_b + x[5 * step];
  }
};
/// A: four gradients of outputs to six points.
struct WinogradDiffDstColumn : WinogradColumn {
  OPENCD_INLINE void operator()(float* x, int step) const {
    const float x0 = x[0], x1 = x[step], x2 = x[2 * step], x3 = x[3 * step];
    const float even_a = x0 + a2 * x2, odd_a = a * (x1 + a2 * x3);
    const float even_b = x0 + b2 * x2, odd_b = b * (x1 + b2 * x3);
    x[step] = even_a + odd_a;
    x[2 * step] = even_a - odd_a;
    x[3 * step] = even_b + odd_b;
    x[4 * step] = even_b - odd_b;
    x[5 * step] = x3;
  }
};
/// G: three weights to six points.
struct WinogradWeightsColumn : WinogradColumn {
  OPENCD_INLINE void operator()(float* x, int step) const {
    const float x0 = x[0], x1 = x[step], x2 = x[2 * step];
    const float even_a = ga * (x0 + a2 * x2), odd_a = ga * a * x1;
    const float even_b = gb * (x0 + b2 * x2), odd_b = gb * b * x1;
    x[0] = g0 * x0;
    x[step] = even_a + odd_a;
    x[2 * step] = even_a - odd_a;
    x[3 * step] = even_b + odd_b;
    x[4 * step] = even_b - odd_b;
    x[5 * step] = x2;
  }
};
/// G': six points to three gradients of weights.
struct WinogradDiffWeightsColumn : WinogradColumn {
  OPENCD_INLINE void operator()(float* x, int step) const {
    const float sum_a = ga * (x[step] + x[2 * step]), sum_b = gb * (x[3 * step] + x[4 * step]);
    const float odd_a = ga * a * (x[step] - x[2 * step]);
    const float odd_b = gb * b * (x[3 * step] - x[4 * step]);
    x[0] = g0 * x[0] + sum_a + sum_b;
    x[step] = odd_a + odd_b;
    x[2 * step] = a2 * sum_a + b2 * sum_b + x[5 * step];
  }
};

/// A 6x6 array per item, and a transform from `from` x `from` to `to` x `to` entries of it.
struct WinogradArray {
  float at[kWinogradPoints];

  template <int from, int to, class Column>
  OPENCD_INLINE void transform(Column column) {
    written_out<from>([&](int j) OPENCD_INLINE { column(at + j, kWinogradSide); });
    written_out<to>([&](int i) OPENCD_INLINE { column(at + kWinogradSide * i, 1); });
  }
};

}  // namespace opencd::kernels
