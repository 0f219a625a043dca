#include "error.hpp"
#include "kernels/augment_config.hpp"

#include <fmt/ranges.h>

namespace opencd::kernels {

namespace {

struct Preset {
  std::string_view name;
  AugmentConfig config;
};

const AugmentConfig kWeak{
    .flip_probability = 0.5f, .crop = Crop::padded, .padding_mode = Padding::reflect};

const AugmentConfig kOpenNcd{.height = 28,
                             .width = 28,
                             .flip_probability = 0.5f,
                             .crop = Crop::resized,
                             .jitter_probability = 0.8f,
                             .grayscale_probability = 0.25f};

const std::array<Preset, 7> kPresets{{
    {"opencd", kOpenNcd},
    {"opencd-strong",
     {.height = kOpenNcd.height,
      .width = kOpenNcd.width,
      .flip_probability = kOpenNcd.flip_probability,
      .crop = kOpenNcd.crop,
      .strong_operations = 2,
      .cutout = 8}},
    {"orca",
     {.flip_probability = 0.5f,
      .crop = Crop::padded,
      .mean = {0.5071f, 0.4867f, 0.4408f},
      .std = {0.2675f, 0.2565f, 0.2761f}}},
    {"simclr",
     {.flip_probability = 0.5f,
      .crop = Crop::resized,
      .jitter_probability = 0.8f,
      .grayscale_probability = 0.2f}},
    {"fixmatch-weak", kWeak},
    {"fixmatch-strong",
     {.flip_probability = kWeak.flip_probability,
      .crop = kWeak.crop,
      .padding_mode = kWeak.padding_mode,
      .strong_operations = 2,
      .cutout = 16}},
    {"test", {}},
}};

}  // namespace

std::vector<std::string> augment_preset_names() {
  std::vector<std::string> names;
  names.reserve(kPresets.size());
  for (const Preset& preset : kPresets) names.emplace_back(preset.name);
  return names;
}

AugmentConfig augment_preset(std::string_view name) {
  for (const Preset& preset : kPresets)
    if (preset.name == name) return preset.config;
  fail<UsageError>("[augment] expected one of {}, got \"{}\"",
                   fmt::join(augment_preset_names(), ", "), name);
}

}  // namespace opencd::kernels
