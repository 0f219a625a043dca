#include "kernels/augment_plan.hpp"

#include "error.hpp"

#include <algorithm>
#include <cmath>

namespace opencd::kernels {

namespace {

constexpr int kLargestSide = 4096;  // sides up to here keep the arithmetic of `draw` in 64 bits

void require(bool holds, const char* what, float got) {
  if (!holds) fail<UsageError>("[augment] expected {}, got {}", what, got);
}

std::int32_t fixed(double value, int bits) {
  return static_cast<std::int32_t>(std::lround(std::ldexp(value, bits)));
}

IntegerRange fixed(Interval range, int bits) {
  return {fixed(range.low, bits), fixed(range.high, bits)};
}

std::uint64_t threshold(const char* what, float probability) {
  require(probability >= 0.0f && probability <= 1.0f, what, probability);
  return static_cast<std::uint64_t>(std::llround(std::ldexp(double{probability}, 32)));
}

void check_shape(const PictureShape& source, const PictureShape& view) {
  for (const int side : {source.height, source.width, view.height, view.width})
    require(side >= 1 && side <= kLargestSide, "pictures with sides from 1 to 4096",
            static_cast<float>(side));
  require(source.channels == 1 || source.channels == 3, "pictures of 1 or 3 channels",
          static_cast<float>(source.channels));
}

/// torchvision's last resort: the largest centred box whose ratio is allowed.
PixelBox centred_crop(const AugmentConfig& config, const PictureShape& source) {
  const double ratio = static_cast<double>(source.width) / source.height;
  int height = source.height;
  int width = source.width;
  if (ratio < double{config.ratio.low})
    height = static_cast<int>(std::lround(width / double{config.ratio.low}));
  if (ratio > double{config.ratio.high})
    width = static_cast<int>(std::lround(height * double{config.ratio.high}));
  return {(source.height - height) / 2, (source.width - width) / 2, height, width};
}

void plan_crop(const AugmentConfig& config, const PictureShape& source, AugmentPlan& plan) {
  const PictureShape view = view_shape(config, source);
  plan.view = {0, 0, view.height, view.width};
  if (config.crop == Crop::resized) {
    const auto [low, high] = config.scale;
    require(low > 0.0f && low <= high, "scale low > 0 and at most high", low);
    require(high <= 1.0f, "scale high at most 1", high);
    require(config.ratio.low >= 0.25f && config.ratio.low <= config.ratio.high,
            "ratio low of at least 1/4 and at most high", config.ratio.low);
    require(config.ratio.high <= 4.0f, "ratio high at most 4", config.ratio.high);
    plan.resized = 1;
    plan.scale = fixed(config.scale, 20);
    plan.log_ratio = {fixed(std::log2(double{config.ratio.low}), 24),
                      fixed(std::log2(double{config.ratio.high}), 24)};
    plan.fallback = centred_crop(config, source);
    return;
  }
  require(view.height == source.height && view.width == source.width,
          "a view as large as the picture unless the crop is resized",
          static_cast<float>(view.width));
  if (config.crop == Crop::padded) {
    require(config.padding >= 0 && config.padding < std::min(source.height, source.width),
            "padding from 0 to less than a side", static_cast<float>(config.padding));
    plan.padding = config.padding;
  }
}

IntegerRange factors(const char* what, Interval range) {
  require(range.low >= 0.0f && range.low <= range.high && range.high < 4.0f, what, range.low);
  return fixed(range, kFactorBits);
}

void plan_colours(const AugmentConfig& config, AugmentPlan& plan) {
  plan.brightness = factors("brightness from 0 to below 4, low before high", config.brightness);
  plan.contrast = factors("contrast from 0 to below 4, low before high", config.contrast);
  plan.saturation = factors("saturation from 0 to below 4, low before high", config.saturation);
  require(config.hue >= 0.0f && config.hue <= 0.5f, "hue from 0 to 0.5", config.hue);
  plan.hue = config.hue > 0.0f ? fixed(config.hue, 16) : kNone;
}

void check_blur(const AugmentConfig& config, const PictureShape& source) {
  const PictureShape view = view_shape(config, source);
  const int size = blur_size(config, source);
  require(size % 2 == 1 && size > 0 && size / 2 < std::min(view.height, view.width),
          "an odd blur_size whose half is less than a side", static_cast<float>(size));
  require(config.blur_sigma.low > 0.0f && config.blur_sigma.low <= config.blur_sigma.high,
          "a blur_sigma low above 0 and at most high", config.blur_sigma.low);
}

}  // namespace

PictureShape view_shape(const AugmentConfig& config, const PictureShape& source) {
  return {config.height != 0 ? config.height : source.height,
          config.width != 0 ? config.width : source.width, source.channels};
}

int blur_size(const AugmentConfig& config, const PictureShape& source) {
  const PictureShape view = view_shape(config, source);
  return config.blur_size != 0 ? config.blur_size : std::min(view.height, view.width) / 10 | 1;
}

AugmentPlan make_augment_plan(const AugmentConfig& config, const PictureShape& source) {
  check_shape(source, view_shape(config, source));
  AugmentPlan plan;
  plan.flip = threshold("flip_probability from 0 to 1", config.flip_probability);
  plan.jitter = threshold("jitter_probability from 0 to 1", config.jitter_probability);
  plan.grayscale = threshold("grayscale_probability from 0 to 1", config.grayscale_probability);
  plan.blur = threshold("blur_probability from 0 to 1", config.blur_probability);
  plan.strong = threshold("strong_probability from 0 to 1", config.strong_probability);
  plan.height = source.height;
  plan.width = source.width;
  plan_crop(config, source, plan);
  plan_colours(config, plan);
  if (config.blur_probability > 0.0f) check_blur(config, source);
  require(config.strong_operations >= 0 && config.strong_operations <= 2,
          "strong_operations from 0 to 2", static_cast<float>(config.strong_operations));
  plan.strong_count = config.strong_operations;
  require(config.cutout >= 0, "a cutout of at least 0", static_cast<float>(config.cutout));
  require(config.cutout_value >= 0 && config.cutout_value <= 255, "a cutout_value from 0 to 255",
          static_cast<float>(config.cutout_value));
  plan.cutout = config.cutout;
  return plan;
}

}  // namespace opencd::kernels
