#include "opencd/preview.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace opencd {

namespace {

using kernels::Device;

/// A view back to bytes, as they were before normalisation.
data::Picture to_picture(const float* view,
                         const kernels::PictureShape& shape,
                         const kernels::AugmentConfig& config) {
  const std::size_t pixels = shape.pixels();
  const auto channels = static_cast<std::size_t>(shape.channels);
  std::vector<std::uint8_t> row(shape.size());
  for (std::size_t c = 0; c < channels; ++c) {
    for (std::size_t i = 0; i < pixels; ++i) {
      const float value = view[c * pixels + i] * config.std[c] + config.mean[c];
      row[i * channels + c] =
          static_cast<std::uint8_t>(std::clamp(std::lround(255.0f * value), 0L, 255L));
    }
  }
  return data::picture_of_row(row, static_cast<std::size_t>(shape.height),
                              static_cast<std::size_t>(shape.width), channels);
}

std::string caption_of(const data::ImageSet& set, std::size_t row) {
  const std::int32_t label = set.train.labels[row];
  return fmt::format(
      "{} {}", row,
      label == data::kNoLabel ? "?" : set.class_names[static_cast<std::size_t>(label)]);
}

}  // namespace

data::Picture preview_views(Device& device,
                            const data::ImageSet& set,
                            const kernels::AugmentConfig& config,
                            const PreviewOptions& options) {
  const kernels::PictureShape source{static_cast<int>(set.shape.height),
                                     static_cast<int>(set.shape.width),
                                     static_cast<int>(set.shape.channels)};
  const std::size_t count = std::min(options.rows, set.train.size());
  std::vector<std::int32_t> chosen(count);
  std::vector<std::uint8_t> bytes;
  std::vector<data::SheetLine> lines(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t row = i * set.train.size() / count;
    const auto pixels = set.train_row(row);
    chosen[i] = static_cast<std::int32_t>(row);
    bytes.insert(bytes.end(), pixels.begin(), pixels.end());
    lines[i] = {
        caption_of(set, row),
        {data::picture_of_row(pixels, set.shape.height, set.shape.width, set.shape.channels)}};
  }
  const auto resident = kernels::to_device(device, bytes);
  const auto rows = kernels::to_device(device, chosen);
  const kernels::Augmenter augmenter(device, config, source);
  kernels::Scratch scratch(device, augmenter.scratch_bytes(count));
  const kernels::Buffer<float> dst(device, count * augmenter.shape().size());
  for (std::uint32_t view = 0; view < options.views; ++view) {
    augmenter.augment({resident, source, true}, rows, {options.seed, options.epoch, view}, scratch,
                      dst.rows(count, augmenter.shape().size()));
    const std::vector<float> values = kernels::to_host(device, dst);
    for (std::size_t i = 0; i < count; ++i)
      lines[i].pictures.push_back(
          to_picture(values.data() + i * augmenter.shape().size(), augmenter.shape(), config));
  }
  return data::draw_sheet(lines, {.columns = options.columns});
}

}  // namespace opencd
