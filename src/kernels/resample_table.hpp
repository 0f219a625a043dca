// The weights of Pillow's antialiased bilinear filter for every size that a side of a crop can
// have, so that the kernels that resize only multiply and add. Pillow computes them in double
// precision and rounds to units of 2^-22; so does this table, on the host, once.
#pragma once

#include <cstdint>
#include <vector>

namespace opencd::kernels {

/// Widths are rounded up to whole tiles of columns, so that a work-group has no odd ones left over.
inline constexpr int kTilePixels = 32;

/// How one side is resized to `out` pixels, for every size 1 .. largest. For size s, output x is
///   sum over t < taps[s] of weight(s, t, x) * in[start(s, x) + t]
/// and start(s, x) + taps[s] <= s: no tap reaches beyond the side. `entries` holds, size by size,
/// a block of (1 + most_taps) x pitch integers: the starts, then the weights of tap 0, of tap 1, ...
/// Entries from `out` to `pitch`, a multiple of kTilePixels, are zero.
struct ResampleTable {
  int out = 0;
  int pitch = 0;
  int largest = 0;
  int most_taps = 0;
  std::vector<std::int32_t> taps;  // by size; taps[0] is unused
  std::vector<std::int32_t> entries;

  int block() const { return (1 + most_taps) * pitch; }
};

ResampleTable make_resample_table(int largest, int out);

}  // namespace opencd::kernels
