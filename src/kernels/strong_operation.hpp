// One of FixMatch's operations as the kernels take it. Read by host and device.
#pragma once

#include <cstdint>

namespace opencd::kernels {

enum class StrongKind : std::int32_t {
  identity,
  autocontrast,
  equalise,
  brightness,  // the next four: argument is the factor in units of 2^-14
  saturation,
  contrast,
  sharpness,
  posterise,  // argument: the bits to keep, as a mask
  solarise,   // argument: the threshold from which values are inverted
  affine,     // the map below
};

/// Which source pixel an output pixel (x, y) takes, in units of 2^-16:
///   source x = (xx x + xy y + x0) >> 16,  source y = (yx x + yy y + y0) >> 16
struct AffineMap {
  std::int32_t xx = 65536;
  std::int32_t xy = 0;
  std::int32_t x0 = 32768;
  std::int32_t yx = 0;
  std::int32_t yy = 65536;
  std::int32_t y0 = 32768;
};

struct StrongOperation {
  StrongKind kind = StrongKind::identity;
  std::int32_t argument = 0;
  AffineMap map;
};

}  // namespace opencd::kernels
