// The random parameters of one view, as a pure function of (plan, seed, epoch, row, view). Integer
// arithmetic throughout: host and every device draw the same values to the last bit, for any batch
// and any number of threads. Plain C++, read by host and device alike.
//
// A view owns 64 consecutive draws of its row's Philox stream; every parameter has a word of its
// own, so that switching one stage on or off leaves the others as they were.
#pragma once

#include "kernels/augment_parameters.hpp"
#include "philox.hpp"

namespace opencd::kernels {

constexpr std::int32_t uniform_in(std::uint32_t bits, IntegerRange range) {
  return range.low + static_cast<std::int32_t>(
                         to_below(bits, static_cast<std::uint32_t>(range.high - range.low) + 1));
}

/// 2^x for |x| <= 2, x in units of 2^-24, in units of 2^-16. A polynomial of degree 6 around the
/// nearest integer; its error is below 2^-22 of the value.
constexpr std::int64_t exp2_fixed(std::int32_t x) {
  // ln(2)^k / k! in units of 2^-30
  constexpr std::int64_t kTaylor[7] = {1073741824, 744261118, 257941248, 59597083,
                                       10327387,   1431680,   165394};
  const std::int32_t whole = (x + (1 << 23)) >> 24;
  const std::int64_t fraction = x - (static_cast<std::int64_t>(whole) << 24);
  std::int64_t value = kTaylor[6];
  for (int k = 5; k >= 0; --k) value = kTaylor[k] + ((value * fraction) >> 24);
  return value >> (14 - whole);
}

/// The integer nearest to sqrt(square / 2^36), for results below 8192: the largest r with
/// (2 r - 1)^2 <= 4 square / 2^36.
constexpr std::int32_t rounded_root(std::uint64_t square) {
  std::uint64_t root = 0;
  for (std::uint64_t bit = 4096; bit != 0; bit >>= 1) {
    const std::uint64_t twice = 2 * (root + bit) - 1;
    if (((twice * twice) << 34) <= square) root += bit;
  }
  return static_cast<std::int32_t>(root);
}

/// torchvision's random resized crop: 10 attempts at an area and a ratio, then the fallback.
constexpr PixelBox draw_resized_crop(const AugmentPlan& plan,
                                     const RandomStream& stream,
                                     std::uint32_t first_draw) {
  const std::uint64_t area =
      static_cast<std::uint64_t>(plan.height) * static_cast<std::uint64_t>(plan.width);
  for (std::uint32_t attempt = 0; attempt < kCropAttempts; ++attempt) {
    const RandomBits bits = stream.draw(first_draw + attempt);
    const std::uint64_t target =
        area * static_cast<std::uint64_t>(uniform_in(bits.word[0], plan.scale));
    const std::int32_t log_ratio = uniform_in(bits.word[1], plan.log_ratio);
    const std::int32_t width =
        rounded_root(target * static_cast<std::uint64_t>(exp2_fixed(log_ratio)));
    const std::int32_t height =
        rounded_root(target * static_cast<std::uint64_t>(exp2_fixed(-log_ratio)));
    if (width < 1 || width > plan.width || height < 1 || height > plan.height) continue;
    return {uniform_in(bits.word[2], {0, plan.height - height}),
            uniform_in(bits.word[3], {0, plan.width - width}), height, width};
  }
  return plan.fallback;
}

/// The `rank`-th of the 24 orders of four operations.
constexpr void draw_order(std::uint32_t rank, ColourOperation (&order)[4]) {
  std::uint32_t left = 0x3210;  // operations not yet placed, one a nibble
  for (std::uint32_t place = 0; place < 4; ++place) {
    const std::uint32_t shift = 4 * (rank % (4 - place));
    rank /= 4 - place;
    order[place] = static_cast<ColourOperation>((left >> shift) & 0xf);
    const std::uint32_t below = (1u << shift) - 1;
    left = (left & below) | ((left >> 4) & ~below);
  }
}

/// FixMatch's cutout: a square around a uniform point, its corner clamped to the picture. As the
/// published code draws the rectangle with both ends included, it is one pixel wider than named.
constexpr PixelBox draw_cutout(const AugmentPlan& plan,
                               std::uint32_t bits_x,
                               std::uint32_t bits_y) {
  struct Span {
    std::int32_t first, last;
  };
  const auto span = [&](std::uint32_t bits, std::int32_t size) {
    // max(0, size u - side / 2) rounded down, u uniform with 16 bits after the point
    const std::int64_t twice_corner = 2 * static_cast<std::int64_t>(size) * (bits >> 16) -
                                      (static_cast<std::int64_t>(plan.cutout) << 16);
    const auto first = static_cast<std::int32_t>(twice_corner > 0 ? twice_corner >> 17 : 0);
    const std::int32_t end = first + plan.cutout;
    return Span{first, end < size ? end : size - 1};
  };
  const Span x = span(bits_x, plan.view.width);
  const Span y = span(bits_y, plan.view.height);
  return {y.first, x.first, y.last - y.first + 1, x.last - x.first + 1};
}

/// One strong operation: its kind, level 1 to 9, sign, and whether it is applied at all.
constexpr std::int32_t draw_strong(const AugmentPlan& plan, const RandomBits& bits) {
  if (bits.word[2] >= plan.strong) return kNone;
  const auto operation = static_cast<std::int32_t>(to_below(bits.word[0], kStrongOperations));
  const std::int32_t level = uniform_in(bits.word[1], {1, kStrongLevels - 1});
  return (operation * kStrongLevels + level) * 2 + static_cast<std::int32_t>(bits.word[3] >> 31);
}

constexpr AugmentParameters draw(const AugmentPlan& plan,
                                 const AugmentKey& key,
                                 std::uint32_t row) {
  const RandomStream stream{key.seed, RandomPurpose::augmentation, key.epoch, row};
  const std::uint32_t first = key.view * 64;
  const RandomBits events = stream.draw(first);
  const RandomBits colours = stream.draw(first + 1);
  const RandomBits more = stream.draw(first + 2);

  AugmentParameters result;
  result.flip = events.word[0] < plan.flip;
  result.crop = plan.view;
  if (plan.resized) result.crop = draw_resized_crop(plan, stream, first + 16);
  if (plan.padding > 0) {
    result.crop.top = uniform_in(more.word[2], {-plan.padding, plan.padding});
    result.crop.left = uniform_in(more.word[3], {-plan.padding, plan.padding});
  }
  result.jitter = events.word[1] < plan.jitter;
  draw_order(to_below(colours.word[0], 24), result.order);
  result.brightness = uniform_in(colours.word[1], plan.brightness);
  result.contrast = uniform_in(colours.word[2], plan.contrast);
  result.saturation = uniform_in(colours.word[3], plan.saturation);
  if (plan.hue != kNone)  // torchvision: int(255 x), rounded towards zero
    result.hue_shift = (uniform_in(more.word[0], {-plan.hue, plan.hue}) * 255 / 65536) & 0xff;
  result.grayscale = events.word[2] < plan.grayscale;
  if (events.word[3] < plan.blur)
    result.blur = static_cast<std::int32_t>(to_below(more.word[1], kBlurLevels));
  for (std::int32_t k = 0; k < plan.strong_count; ++k)
    result.strong[k] = draw_strong(plan, stream.draw(first + 3 + static_cast<std::uint32_t>(k)));
  if (plan.cutout > 0) {
    const RandomBits place = stream.draw(first + 5);
    result.cutout = draw_cutout(plan, place.word[0], place.word[1]);
  }
  return result;
}

}  // namespace opencd::kernels
