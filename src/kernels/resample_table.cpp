#include "kernels/resample_table.hpp"

#include "kernels/augment_parameters.hpp"

#include <algorithm>
#include <cmath>

namespace opencd::kernels {

namespace {

/// The taps of one output pixel that have a weight.
struct Window {
  int start = 0;
  std::vector<std::int32_t> weights;
};

/// Pillow's coefficients of output pixel `x` when `size` pixels become `out`: a triangle around the
/// pixel's centre that is as wide as a source pixel or, when the side shrinks, as an output pixel.
Window make_window(int size, int out, int x) {
  const double scale = static_cast<double>(size) / out;
  const double support = std::max(scale, 1.0);
  const double centre = (x + 0.5) * scale;
  const int first = std::max(static_cast<int>(centre - support + 0.5), 0);
  const int end = std::min(static_cast<int>(centre + support + 0.5), size);
  std::vector<double> heights;
  double total = 0.0;
  for (int tap = first; tap < end; ++tap) {
    heights.push_back(std::max(1.0 - std::abs((tap - centre + 0.5) * (1.0 / support)), 0.0));
    total += heights.back();
  }
  Window window{first, {}};
  for (const double height : heights) {
    const auto weight = static_cast<std::int32_t>(0.5 + std::ldexp(height / total, kResampleBits));
    if (weight == 0 && window.weights.empty())
      ++window.start;
    else if (weight != 0)  // a triangle has no zeros between its ends
      window.weights.push_back(weight);
  }
  return window;
}

}  // namespace

ResampleTable make_resample_table(int largest, int out) {
  ResampleTable table;
  table.out = out;
  table.pitch = (out + kTilePixels - 1) / kTilePixels * kTilePixels;
  table.largest = largest;
  table.taps.assign(static_cast<std::size_t>(largest) + 1, 0);
  std::vector<std::vector<Window>> windows(table.taps.size());
  for (int size = 1; size <= largest; ++size)
    for (int x = 0; x < out; ++x) {
      windows[size].push_back(make_window(size, out, x));
      const int taps = static_cast<int>(windows[size].back().weights.size());
      table.taps[size] = std::max(table.taps[size], taps);
      table.most_taps = std::max(table.most_taps, taps);
    }
  table.entries.assign(static_cast<std::size_t>(table.block()) * table.taps.size(), 0);
  for (int size = 1; size <= largest; ++size) {
    std::int32_t* block = table.entries.data() + static_cast<std::size_t>(table.block()) * size;
    for (int x = 0; x < out; ++x) {
      const Window& window = windows[size][x];
      // Near the end a window moves back until all taps lie inside; the new ones in front weigh 0.
      block[x] = std::min(window.start, size - table.taps[size]);
      const int shift = window.start - block[x];
      for (std::size_t t = 0; t < window.weights.size(); ++t)
        block[(1 + shift + static_cast<int>(t)) * table.pitch + x] = window.weights[t];
    }
  }
  return table;
}

}  // namespace opencd::kernels
