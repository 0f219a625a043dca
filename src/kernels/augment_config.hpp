// What a view of a picture is made of: one plain struct, every value of which can be overridden,
// and the published settings as presets. The stages run in this order, each only where it is asked
// for:
//   flip -> crop -> colour jitter -> grayscale -> blur -> strong operations -> cutout -> normalise
// Every stage computes on 8-bit pictures as torchvision does on Pillow pictures.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace opencd::kernels {

/// Height, width and channels (1 or 3) of a picture.
struct PictureShape {
  int height = 0;
  int width = 0;
  int channels = 3;

  std::size_t pixels() const {
    return static_cast<std::size_t>(height) * static_cast<std::size_t>(width);
  }
  std::size_t size() const { return pixels() * static_cast<std::size_t>(channels); }
  bool operator==(const PictureShape&) const = default;
};

/// How a view is cut out of its picture.
enum class Crop {
  none,     // the whole picture
  resized,  // a random box, resized with Pillow's antialiased bilinear filter
  padded,   // the picture moved by up to `padding` pixels
};

/// What lies beyond the edge of a moved picture.
enum class Padding { zero, reflect };

/// A range of values that are drawn uniformly.
struct Interval {
  float low = 0.0f;
  float high = 0.0f;
};

struct AugmentConfig {
  int height = 0;  // of a view; 0: as the picture
  int width = 0;

  float flip_probability = 0.0f;

  Crop crop = Crop::none;
  // resized: share of the area, and width / height, uniform in its logarithm
  Interval scale{0.2f, 1.0f};
  Interval ratio{3.0f / 4, 4.0f / 3};
  // padded: largest shift, and what moves in
  int padding = 4;
  Padding padding_mode = Padding::zero;

  float jitter_probability = 0.0f;
  Interval brightness{0.6f, 1.4f};  // factors, 1 changes nothing
  Interval contrast{0.6f, 1.4f};
  Interval saturation{0.6f, 1.4f};
  float hue = 0.1f;  // largest turn, as a share of the circle; 0 leaves hues alone

  float grayscale_probability = 0.0f;

  float blur_probability = 0.0f;
  int blur_size = 0;  // width of the kernel in pixels, odd; 0: a tenth of the view
  Interval blur_sigma{0.1f, 2.0f};

  int strong_operations = 0;  // how many of FixMatch's operations, at most 2
  float strong_probability = 0.5f;

  int cutout = 0;  // side of the square; 0: none
  int cutout_value = 127;

  std::array<float, 3> mean{0.4914f, 0.4822f, 0.4465f};
  std::array<float, 3> std{0.2023f, 0.1994f, 0.2010f};
};

/// The settings that `name` stands for; throws UsageError that lists the names.
///   opencd           flip, 28 x 28 resized crop, jitter 0.8, grayscale 0.25
///   orca             zero-padded crop, flip; normalised as CIFAR-100
///   simclr           resized crop at the size of the picture, flip, jitter 0.8, grayscale 0.2
///   fixmatch-weak    reflect-padded crop, flip; also what DTC and RankStats use
///   fixmatch-strong  the same, then two strong operations and a 16-pixel cutout
///   test             nothing but normalisation
AugmentConfig augment_preset(std::string_view name);
std::vector<std::string> augment_preset_names();

}  // namespace opencd::kernels
