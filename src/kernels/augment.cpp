#include "kernels/augment.hpp"

#include "kernels/blur_table.hpp"
#include "kernels/check.hpp"
#include "kernels/device/augment_blur.hpp"
#include "kernels/device/augment_colour.hpp"
#include "kernels/device/augment_crop.hpp"
#include "kernels/device/augment_draw.hpp"
#include "kernels/device/augment_finish.hpp"
#include "kernels/device/augment_strong.hpp"
#include "kernels/launch.hpp"
#include "kernels/resample_table.hpp"
#include "kernels/strong_operations.hpp"

#include <algorithm>

namespace opencd::kernels {

namespace {

constexpr std::size_t kHistogram = 256;  // bins of a view's histogram

/// One item for each pixel of views x height x width. A group lies within one view; its columns are
/// the SIMD lanes of a CPU.
template <class Body>
void launch_pixels(Device& device, std::size_t views, int height, int width, const Body& body) {
  if (views == 0) return;
  constexpr std::size_t columns = kTilePixels;
  const std::size_t rows =
      std::max<std::size_t>(static_cast<std::size_t>(device.element_group_size()) / columns, 1);
  launch(device,
         sycl::nd_range<3>({views, round_up(static_cast<std::size_t>(height), rows),
                            round_up(static_cast<std::size_t>(width), columns)},
                           {1, rows, columns}),
         body);
}

bool changes_colours(const AugmentConfig& config) {
  return config.jitter_probability > 0.0f || config.grayscale_probability > 0.0f;
}

bool blurs(const AugmentConfig& config) { return config.blur_probability > 0.0f; }

}  // namespace

Augmenter::DeviceTable Augmenter::make_table(Device& device, int largest, int out) {
  const ResampleTable table = make_resample_table(largest, out);
  return {to_device(device, table.taps), to_device(device, table.entries), table.block(),
          table.pitch};
}

Augmenter::Augmenter(Device& device, const AugmentConfig& config, const PictureShape& source)
    : device_(device),
      config_(config),
      source_(source),
      view_(view_shape(config, source)),
      plan_(make_augment_plan(config, source)) {
  if (config.crop == Crop::resized) {
    row_table_ = make_table(device, source.width, view_.width);
    column_table_ = make_table(device, source.height, view_.height);
  }
  if (blurs(config))
    blur_table_ =
        to_device(device, make_blur_table(blur_size(config, source), double{config.blur_sigma.low},
                                          double{config.blur_sigma.high}));
  if (config.strong_operations > 0)
    strong_table_ = to_device(device, make_strong_operations(view_));
}

std::size_t Augmenter::scratch_bytes(std::size_t rows) const {
  const auto bytes = [rows](std::size_t of_a_row) { return Scratch::aligned(rows * of_a_row); };
  // What stages take beyond the views they take one after the other.
  std::size_t stage = 0;
  if (config_.crop == Crop::resized) stage = bytes(narrowed_shape().size());
  if (blurs(config_)) stage = std::max(stage, bytes(view_.size() * sizeof(std::uint16_t)));
  if (config_.strong_operations > 0)
    stage = std::max(stage, bytes(view_.size()) + bytes(kHistogram * sizeof(std::uint32_t)));
  return bytes(sizeof(AugmentParameters)) + bytes(view_.size()) + stage;
}

void Augmenter::augment(const Pictures& pictures,
                        View<const std::int32_t> rows,
                        const AugmentKey& key,
                        Scratch& scratch,
                        Rows<float> dst) const {
  const Scratch::Frame frame(scratch);
  const auto parameters = scratch.take<AugmentParameters>(rows.size);
  draw_parameters(rows, key, parameters);
  render(pictures, rows, parameters, scratch, dst);
}

void Augmenter::draw_parameters(View<const std::int32_t> rows,
                                const AugmentKey& key,
                                View<AugmentParameters> dst) const {
  require_equal("augment", "parameters", rows.size, dst.size);
  launch_elements(device_, rows.size, DrawAugmentation{rows.data, dst.data, rows.size, plan_, key});
}

void Augmenter::render(const Pictures& pictures,
                       View<const std::int32_t> rows,
                       View<const AugmentParameters> parameters,
                       Scratch& scratch,
                       Rows<float> dst) const {
  require_equal("augment", "parameters", rows.size, parameters.size);
  require_equal("augment", "views", rows.size, dst.rows);
  require_equal("augment", "values a view", view_.size(), dst.columns);
  if (pictures.shape != source_)
    fail<ShapeError>("[augment] expected pictures of {} x {} x {}, got {} x {} x {}",
                     source_.height, source_.width, source_.channels, pictures.shape.height,
                     pictures.shape.width, pictures.shape.channels);
  if (pictures.gathered)
    require_equal("augment", "bytes of pictures", rows.size * source_.size(), pictures.pixels.size);

  const Scratch::Frame frame(scratch);
  const auto views = scratch.take<std::uint8_t>(rows.size * view_.size());
  crop(pictures, rows, parameters, scratch, views);
  if (changes_colours(config_))
    launch_rows(device_, rows.size, view_.pixels(),
                JitterColours{parameters.data, views.data, to_int("augment", view_.pixels()),
                              view_.channels});
  if (blurs(config_)) blur(parameters, scratch, views);
  finish(config_.strong_operations > 0 ? apply_strong(parameters, scratch, views) : views,
         parameters, dst);
}

void Augmenter::crop(const Pictures& pictures,
                     View<const std::int32_t> rows,
                     View<const AugmentParameters> parameters,
                     Scratch& scratch,
                     View<std::uint8_t> dst) const {
  const PictureSource source{pictures.pixels.data, rows.data,     pictures.gathered ? 1 : 0,
                             source_.height,       source_.width, source_.channels};
  if (config_.crop != Crop::resized) {
    launch_pixels(device_, rows.size, view_.height, view_.width,
                  MovePicture{source, parameters.data, dst.data,
                              config_.padding_mode == Padding::reflect ? 1 : 0});
    return;
  }
  const Scratch::Frame frame(scratch);
  const PictureShape between = narrowed_shape();
  const auto narrowed = scratch.take<std::uint8_t>(rows.size * between.size());
  const auto weights = [](const DeviceTable& table) {
    return ResampleWeights{table.taps.data(), table.entries.data(), table.block, table.pitch};
  };
  launch_pixels(device_, rows.size, between.height, between.width,
                ResizeRows{source, parameters.data, weights(row_table_), narrowed.data});
  launch_pixels(
      device_, rows.size, view_.height, view_.width,
      ResizeColumns{narrowed.data, parameters.data, weights(column_table_), dst.data,
                    between.height, between.width, view_.height, view_.width, view_.channels});
}

void Augmenter::blur(View<const AugmentParameters> parameters,
                     Scratch& scratch,
                     View<std::uint8_t> views) const {
  const Scratch::Frame frame(scratch);
  const auto between = scratch.take<std::uint16_t>(views.size);
  const BlurWeights weights{blur_table_.data(), blur_size(config_, source_) / 2};
  const int rows = view_.height * view_.channels;
  launch_pixels(device_, parameters.size, rows, view_.width,
                BlurRows{views.data, parameters.data, weights, between.data, rows, view_.width});
  launch_pixels(device_, parameters.size, rows, view_.width,
                BlurColumns{between.data, parameters.data, weights, views.data, view_.height,
                            view_.width, view_.channels});
}

/// Back and forth between two buffers; returns the one that holds the result.
View<std::uint8_t> Augmenter::apply_strong(View<const AugmentParameters> parameters,
                                           Scratch& scratch,
                                           View<std::uint8_t> views) const {
  View<std::uint8_t> src = views;
  View<std::uint8_t> dst = scratch.take<std::uint8_t>(views.size);
  const auto histograms = scratch.take<std::uint32_t>(parameters.size * kHistogram);
  for (int slot = 0; slot < config_.strong_operations; ++slot) {
    launch_rows(device_, parameters.size, view_.pixels(),
                ApplyStrong{parameters.data, strong_table_.data(), src.data, dst.data,
                            histograms.data, slot, view_.height, view_.width, view_.channels});
    std::swap(src, dst);
  }
  return src;
}

void Augmenter::finish(View<const std::uint8_t> views,
                       View<const AugmentParameters> parameters,
                       Rows<float> dst) const {
  const auto scale = [&](std::size_t c) {
    return static_cast<float>(1.0 / (255.0 * double{config_.std[c]}));
  };
  const auto offset = [&](std::size_t c) {
    return static_cast<float>(-double{config_.mean[c]} / double{config_.std[c]});
  };
  launch_pixels(device_, dst.rows, view_.height, view_.width,
                FinishViews{.src = views.data,
                            .parameters = parameters.data,
                            .dst = dst.data,
                            .height = view_.height,
                            .width = view_.width,
                            .channels = view_.channels,
                            .cutout_value = config_.cutout_value,
                            .scale = {scale(0), scale(1), scale(2)},
                            .offset = {offset(0), offset(1), offset(2)}});
}

}  // namespace opencd::kernels
