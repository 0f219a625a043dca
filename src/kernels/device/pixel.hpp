// Colours of one pixel in 8 bits a channel, as Pillow computes them, in integers alone: the same on
// every device. Grey pictures are pixels with three equal channels; every function keeps them so.
#pragma once

#include "kernels/augment_parameters.hpp"
#include "kernels/device/kernel.hpp"

namespace opencd::kernels {

struct Pixel {
  std::int32_t r;
  std::int32_t g;
  std::int32_t b;
};

/// Pillow's "L": ITU-R 601 in units of 2^-16, rounded.
inline std::int32_t luma(const Pixel& p) {
  return (19595 * p.r + 38470 * p.g + 7471 * p.b + 0x8000) >> 16;
}

inline Pixel grey(const Pixel& p) {
  const std::int32_t l = luma(p);
  return {l, l, l};
}

/// Pillow's blend for one value: from + factor (to - from), clamped and rounded down.
inline std::int32_t blend(std::int32_t from, std::int32_t to, std::int32_t factor) {
  const std::int32_t value = (from * kFactorOne + factor * (to - from)) >> kFactorBits;
  return sycl::clamp(value, 0, 255);
}

inline Pixel blend(const Pixel& from, const Pixel& to, std::int32_t factor) {
  return {blend(from.r, to.r, factor), blend(from.g, to.g, factor), blend(from.b, to.b, factor)};
}

/// n / d rounded down, for 0 <= n < 2^24 and 0 < d: f32 gets within one of it, integers settle it.
inline std::int32_t divide(std::int32_t n, std::int32_t d) {
  std::int32_t quotient = static_cast<std::int32_t>(static_cast<float>(n) / static_cast<float>(d));
  const std::int32_t rest = n - quotient * d;
  quotient += rest >= d ? 1 : 0;
  quotient -= rest < 0 ? 1 : 0;
  return quotient;
}

/// Where 255 n / (6 chroma) is a whole number, Pillow's f32 arithmetic lands below it for these
/// hues (bit by bit) and its rounding down takes one more away.
inline constexpr std::uint32_t kHuesThatFallShort[8] = {
    0xfffffffe, 0x00000000, 0x11000000, 0x00000111, 0x222aaaaa, 0x23232222, 0x00022222, 0x00000000};
inline bool pillow_hue_falls_short(std::int32_t hue) {
  return (kHuesThatFallShort[hue >> 5] >> (hue & 31)) & 1;
}

/// Turns the hue by `shift` / 256 of the circle: Pillow's RGB -> HSV -> RGB with 8 bits each.
///   n = 6 chroma * hue, in 0 .. 6 chroma;  h = 255 n / (6 chroma),  s = 255 chroma / max
/// Back, with h in 255ths of a sector, every channel is v (1 - s w), where w rises from 0 to 1 over
/// the sector that leaves the channel's own third of the circle on either side.
inline Pixel turn_hue(const Pixel& in, std::int32_t shift) {
  const std::int32_t v = sycl::max(in.r, sycl::max(in.g, in.b));
  const std::int32_t chroma = v - sycl::min(in.r, sycl::min(in.g, in.b));
  const std::int32_t divisor = sycl::max(2 * chroma, 1);
  std::int32_t n = in.r == v   ? in.g - in.b
                   : in.g == v ? 2 * chroma + in.b - in.r
                               : 4 * chroma + in.r - in.g;
  n = 85 * (n < 0 ? n + 6 * chroma : n);
  std::int32_t h = divide(n, divisor);
  h -= h * divisor == n && pillow_hue_falls_short(h) ? 1 : 0;
  const std::int32_t s = divide(255 * chroma, sycl::max(v, 1));
  h = 6 * ((h + shift) & 0xff);

  // v - v x / 65025 rounded to nearest; a tie cannot happen, 65025 is odd
  const auto channel = [v, s](std::int32_t w) {
    const auto taken = static_cast<std::uint32_t>(v * s * sycl::clamp(w, 0, 255));
    return v - static_cast<std::int32_t>((2 * taken + 65025) / 130050);
  };
  const auto distance = [h](std::int32_t centre) { return h < centre ? centre - h : h - centre; };
  return {channel(510 - distance(765)), channel(distance(510) - 255),
          channel(distance(1020) - 255)};
}

}  // namespace opencd::kernels
