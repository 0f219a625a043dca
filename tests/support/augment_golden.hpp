// Golden cases of augmentation: pictures, the parameters of views, and the views that Pillow and
// torchvision make of them (tests/golden/make_augment.py).
#pragma once

#include "kernels/augment.hpp"
#include "support/device.hpp"
#include "support/npy.hpp"

#include <algorithm>
#include <cstring>

namespace opencd::test {

struct AugmentGolden {
  kernels::PictureShape source;
  kernels::PictureShape view;
  std::vector<std::uint8_t> pictures;
  std::vector<std::int32_t> rows;
  std::vector<kernels::AugmentParameters> parameters;
  std::vector<std::uint8_t> views;  // height x width x channels
};

inline AugmentGolden read_augment_golden(const std::string& name) {
  std::ifstream file = open_golden("augment/" + name + ".npy");
  const auto shape_of = [](const std::vector<std::size_t>& shape) {
    return kernels::PictureShape{static_cast<int>(shape.at(1)), static_cast<int>(shape.at(2)),
                                 static_cast<int>(shape.at(3))};
  };
  auto pictures = read_npy<std::uint8_t>(file);
  auto rows = read_npy<std::int32_t>(file);
  const auto fields = read_npy<std::int32_t>(file);
  auto views = read_npy<std::uint8_t>(file);
  AugmentGolden golden{shape_of(pictures.shape),
                       shape_of(views.shape),
                       std::move(pictures.values),
                       std::move(rows.values),
                       {},
                       std::move(views.values)};
  golden.parameters.resize(golden.rows.size());
  if (fields.values.size() * sizeof(std::int32_t) !=
      golden.parameters.size() * sizeof(kernels::AugmentParameters))
    throw std::runtime_error("the golden parameters have other fields than AugmentParameters");
  std::memcpy(static_cast<void*>(golden.parameters.data()), fields.values.data(),
              fields.values.size() * sizeof(std::int32_t));
  return golden;
}

/// Planes of f32 in [0, 1], view by view, as bytes in the order height x width x channels.
inline std::vector<std::uint8_t> to_bytes(const std::vector<float>& planes,
                                          const kernels::PictureShape& shape) {
  std::vector<std::uint8_t> bytes(planes.size());
  for (std::size_t i = 0; i < planes.size(); ++i) {
    const std::size_t view = i / shape.size();
    const std::size_t channel = i % shape.size() / shape.pixels();
    const std::size_t pixel = i % shape.pixels();
    const float value = planes[i] * 255.0f;
    bytes[view * shape.size() + pixel * static_cast<std::size_t>(shape.channels) + channel] =
        static_cast<std::uint8_t>(value + 0.5f);
  }
  return bytes;
}

/// `config` with a normalisation that leaves pixels in [0, 1], so that bytes can be recovered.
inline kernels::AugmentConfig without_normalisation(kernels::AugmentConfig config) {
  config.mean = {0.0f, 0.0f, 0.0f};
  config.std = {1.0f, 1.0f, 1.0f};
  return config;
}

/// The views that the kernels make of the golden parameters, as bytes.
inline std::vector<std::uint8_t> render_golden(const AugmentGolden& golden,
                                               const kernels::AugmentConfig& config) {
  kernels::Device& device = test_device();
  const kernels::Augmenter augmenter(device, without_normalisation(config), golden.source);
  const auto pixels = kernels::to_device(device, golden.pictures);
  const auto rows = kernels::to_device(device, golden.rows);
  const auto parameters = kernels::to_device(device, golden.parameters);
  kernels::Scratch scratch(device, augmenter.scratch_bytes(golden.rows.size()));
  kernels::Buffer<float> dst(device, golden.views.size());
  augmenter.render({pixels, golden.source}, rows, parameters, scratch,
                   dst.rows(golden.rows.size(), golden.view.size()));
  return to_bytes(kernels::to_host(device, dst), golden.view);
}

/// How many values are off by more than 0, 1 and 2 grey levels.
struct GreyLevels {
  std::size_t count = 0;
  std::size_t off[3] = {0, 0, 0};
};

inline GreyLevels compare_grey_levels(const std::vector<std::uint8_t>& actual,
                                      const std::vector<std::uint8_t>& expected) {
  if (actual.size() != expected.size()) throw std::runtime_error("views of different sizes");
  GreyLevels result{actual.size()};
  for (std::size_t i = 0; i < actual.size(); ++i)
    for (int level = 0; level < 3; ++level)
      result.off[level] += std::abs(int{actual[i]} - int{expected[i]}) > level ? 1 : 0;
  return result;
}

}  // namespace opencd::test
