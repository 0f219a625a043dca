#include "bench/data.hpp"

#include "kernels/augment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

namespace opencd::bench {

namespace {

using kernels::Device;

constexpr kernels::PictureShape kCifar{32, 32, 3};
constexpr std::size_t kPictures = 8192;
constexpr std::size_t kBatch = 512;

/// Pictures with smooth colours and a batch of their rows in a scattered order.
struct Batch {
  kernels::Buffer<std::uint8_t> pixels;
  kernels::Buffer<std::int32_t> rows;
  kernels::Augmenter augmenter;
  kernels::Scratch scratch;
  kernels::Buffer<float> views;

  Batch(Device& device, const kernels::AugmentConfig& config)
      : pixels(to_device(device, smooth_pictures())),
        rows(to_device(device, scattered_rows())),
        augmenter(device, config, kCifar),
        scratch(device, augmenter.scratch_bytes(kBatch)),
        views(device, kBatch * augmenter.shape().size()) {}

  static std::vector<std::uint8_t> smooth_pictures() {
    std::vector<std::uint8_t> bytes(kPictures * kCifar.size());
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      const std::size_t row = i / kCifar.size();
      const double picture = static_cast<double>(row);
      const double x = static_cast<double>(i / 3 % 32);
      const double y = static_cast<double>(i / 96 % 32);
      const double wave =
          std::sin(0.2 * x + picture) + std::cos(0.15 * y + 0.01 * picture * (i % 3));
      bytes[i] = static_cast<std::uint8_t>(127.5 + 60.0 * wave);
    }
    return bytes;
  }
  static std::vector<std::int32_t> scattered_rows() {
    std::vector<std::int32_t> rows(kBatch);
    for (std::size_t i = 0; i < kBatch; ++i)
      rows[i] = static_cast<std::int32_t>(i * 2654435761u % kPictures);
    return rows;
  }

  void augment(std::uint32_t view) {
    augmenter.augment({pixels, kCifar}, rows, {.seed = 1, .epoch = 0, .view = view}, scratch,
                      views.rows(kBatch, augmenter.shape().size()));
  }

  std::vector<float> last_row_alone(Device& device, std::uint32_t view) {
    kernels::Buffer<float> alone(device, augmenter.shape().size());
    augmenter.augment({pixels, kCifar}, rows.view().slice(kBatch - 1, 1),
                      {.seed = 1, .epoch = 0, .view = view}, scratch, alone.rows(1, alone.size()));
    return to_host(device, alone);
  }
};

/// Two views of every picture of a batch, as a training step asks for them.
Case augment_case(Device& device, const std::string& preset) {
  auto batch = std::make_shared<Batch>(device, kernels::augment_preset(preset));
  Case result;
  result.name = "augment_" + preset;
  result.params = {{"batch", kBatch}, {"views", 2}, {"size", batch->augmenter.shape().width}};
  result.work = 2.0 * kBatch;
  result.unit = "view";
  result.run = [batch] {
    batch->augment(0);
    batch->augment(1);
  };
  result.check = [&device, batch, run = result.run]() -> std::string {
    run();
    const std::vector<float> views = to_host(device, batch->views);
    const std::vector<float> alone = batch->last_row_alone(device, 1);
    if (!std::equal(alone.begin(), alone.end(),
                    views.end() - static_cast<std::ptrdiff_t>(alone.size())))
      return "a row of the batch is another view when it is augmented alone";
    const double sum = std::accumulate(views.begin(), views.end(), 0.0);
    const double mean = sum / static_cast<double>(views.size());
    return std::abs(mean) < 1.0 ? "" : fmt::format("mean pixel {}, expected about 0", mean);
  };
  return result;
}

}  // namespace

std::vector<Case> augment_cases(Device& device) {
  std::vector<Case> cases;
  for (const std::string& preset : kernels::augment_preset_names())
    cases.push_back(augment_case(device, preset));
  return cases;
}

std::vector<Result> run_data_suite(Device& device,
                                   const DecodeOptions& decode,
                                   const MeasureOptions& options) {
  if (!decode.pictures.empty()) return {measure(device, decode_case(decode), options)};
  std::vector<Result> results;
  for (const Case& what : augment_cases(device)) results.push_back(measure(device, what, options));
  return results;
}

}  // namespace opencd::bench
