// A training view of feature vectors, as augmentation makes one of a picture: entries are dropped
// and noise is added. Assigns.
//   dst[i][c] = keep x / (1 - dropout) + noise n,   x = src[rows[i]][c],  n standard normal
// One item a pair of columns, which share one draw of Philox(seed, feature_views, step, row): two
// words say what is kept, two become two normal numbers (Box and Muller). So the words are the same
// on every device and for every batch; the last bit of the noise is up to the logarithm, which may
// differ between devices and between whole and cut vectors.
#pragma once

#include "kernels/device/row_loop.hpp"
#include "kernels/feature_view_key.hpp"
#include "philox.hpp"

namespace opencd::kernels {

struct FeatureViews {
  const float* src;
  const std::int32_t* rows;
  float* dst;
  std::size_t pairs;  // of all rows
  int columns;
  float dropout;
  float noise;
  FeatureViewKey key;

  void operator()(sycl::nd_item<1> item) const {
    const std::size_t i = element_of(item);
    if (i < pairs) {
      const int pairs_a_row = (columns + 1) / 2;
      const std::size_t row = i / pairs_a_row;
      const int pair = static_cast<int>(i - row * pairs_a_row);
      const auto from = static_cast<std::size_t>(rows[row]);
      const RandomStream stream{key.seed, RandomPurpose::feature_views, key.step, from};
      const RandomBits bits = stream.draw(2 * static_cast<std::uint32_t>(pair) + key.view);

      const float* x = src + from * columns;
      float* y = dst + row * columns;
      const float scale = 1.0f / (1.0f - dropout);
      // 1 - u lies in (0, 1], where the logarithm is finite.
      const float radius =
          noise * sycl::sqrt(-2.0f * sycl::log(1.0f - to_unit_float(bits.word[2])));
      const float turn = 2.0f * to_unit_float(bits.word[3]);
      const int c = 2 * pair;
      const float first = to_unit_float(bits.word[0]) < dropout ? 0.0f : x[c] * scale;
      y[c] = first + radius * sycl::cospi(turn);
      if (c + 1 < columns) {
        const float second = to_unit_float(bits.word[1]) < dropout ? 0.0f : x[c + 1] * scale;
        y[c + 1] = second + radius * sycl::sinpi(turn);
      }
    }
  }
};
OPENCD_KERNEL(FeatureViews, 1)

}  // namespace opencd::kernels
