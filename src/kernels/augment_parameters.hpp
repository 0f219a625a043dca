// What is drawn for a view, and the integers it is drawn from. Read by host and device.
#pragma once

#include <cstdint>

namespace opencd::kernels {

/// Colour factors are multiples of 2^-14: few enough bits that Pillow's f32 arithmetic on 8-bit
/// pixels is exact and equals ours on integers.
inline constexpr int kFactorBits = 14;
inline constexpr std::int32_t kFactorOne = 1 << kFactorBits;
inline constexpr std::int32_t kNone = -1;

/// Weights of resized crops are units of 2^-22, as Pillow's are.
inline constexpr int kResampleBits = 22;

enum class ColourOperation : std::int32_t { brightness, contrast, saturation, hue };

inline constexpr int kStrongOperations = 14;
inline constexpr int kStrongLevels = 10;  // 1 to 9 are drawn
inline constexpr int kBlurLevels = 256;
inline constexpr int kCropAttempts = 10;

/// A box of pixels: rows top .. top + height, columns left .. left + width.
struct PixelBox {
  std::int32_t top = 0;
  std::int32_t left = 0;
  std::int32_t height = 0;
  std::int32_t width = 0;
};

/// What happens to one picture to become one view.
struct AugmentParameters {
  std::int32_t flip = 0;  // 1: left and right change places, before all else
  PixelBox crop;          // in the flipped picture; a padded crop may reach beyond its edges
  std::int32_t jitter = 0;
  ColourOperation order[4] = {ColourOperation::brightness, ColourOperation::contrast,
                              ColourOperation::saturation, ColourOperation::hue};
  std::int32_t brightness = kFactorOne;  // factors
  std::int32_t contrast = kFactorOne;
  std::int32_t saturation = kFactorOne;
  std::int32_t hue_shift = kNone;  // added to the 8-bit hue, modulo 256; kNone: no hue operation
  std::int32_t grayscale = 0;
  std::int32_t blur = kNone;                // level of sigma
  std::int32_t strong[2] = {kNone, kNone};  // places in the table of strong operations
  PixelBox cutout;
};

/// An inclusive range of integers.
struct IntegerRange {
  std::int32_t low = 0;
  std::int32_t high = 0;
};

/// An AugmentConfig for pictures of one shape in integers; see augment_plan.hpp for its making.
struct AugmentPlan {
  // An event of probability p happens where 32 random bits are below p 2^32.
  std::uint64_t flip = 0;
  std::uint64_t jitter = 0;
  std::uint64_t grayscale = 0;
  std::uint64_t blur = 0;
  std::uint64_t strong = 0;

  std::int32_t height = 0;  // of the picture
  std::int32_t width = 0;
  PixelBox view;  // the crop where nothing is drawn; its size is the view's
  std::int32_t padding = 0;
  std::int32_t resized = 0;
  IntegerRange scale;      // share of the area, in units of 2^-20
  IntegerRange log_ratio;  // log2(width / height), in units of 2^-24
  PixelBox fallback;       // when no attempt fits

  IntegerRange brightness;  // factors
  IntegerRange contrast;
  IntegerRange saturation;
  std::int32_t hue = 0;  // in units of 2^-16; kNone: no hue operation
  std::int32_t strong_count = 0;
  std::int32_t cutout = 0;
};

/// Whose numbers: together with the row they address the stream.
struct AugmentKey {
  std::uint32_t seed = 0;
  std::uint32_t epoch = 0;
  std::uint32_t view = 0;
};

}  // namespace opencd::kernels
