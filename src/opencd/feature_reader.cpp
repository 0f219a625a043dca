#include "opencd/feature_reader.hpp"

#include "error.hpp"
#include "kernels/norm.hpp"

#include <algorithm>
#include <cmath>

namespace opencd {

FeatureReader::FeatureReader(nn::Model& model,
                             const nn::ResNet& encoder,
                             const DevicePictures& pictures,
                             std::size_t block)
    : model_(model),
      encoder_(encoder),
      batches_(pictures, block),
      features_(model.device(), block * static_cast<std::size_t>(encoder.config().feature_count())),
      record_(model.device(), 1),
      readback_(model.device()) {}

void FeatureReader::start_check(kernels::View<const float> values) {
  kernels::Device& device = model_.device();
  const std::size_t needed = kernels::norm_scratch_bytes(values.size);
  if (!norm_scratch_ || norm_scratch_->capacity() < needed) {
    norm_scratch_.reset();
    norm_scratch_.emplace(device, needed);
  }
  kernels::squared_norm(device, *norm_scratch_, values, record_);
  readback_.start(record_);
}

void FeatureReader::require_usable_weights() {
  const nn::ParameterSet& parameters = model_.parameters();
  if (parameters.version() == checked_version_) return;
  start_check(parameters.values());
  const auto variances =
      kernels::to_host(model_.device(), parameters.values(nn::Role::running_var));
  if (bad_entries() != 0 || std::ranges::any_of(variances, [](float v) { return v < 0.0f; }))
    for (const nn::Parameter& parameter : parameters.all()) fail_for_bad_weight(parameter);
  checked_version_ = parameters.version();
}

void FeatureReader::fail_for_bad_weight(const nn::Parameter& parameter) const {
  const std::vector<float> values = model_.parameters().read(parameter);
  const bool variance = parameter.role == nn::Role::running_var;
  const auto bad = std::ranges::find_if(
      values, [&](float value) { return !std::isfinite(value) || (variance && value < 0.0f); });
  if (bad == values.end()) return;
  fail<NonFiniteError>(
      "[features] {} holds {} at element {}, expected a finite {}. No features can be computed "
      "with "
      "that: take an earlier checkpoint or other --weights, and train with a smaller --lr",
      parameter.name, *bad, bad - values.begin(), variance ? "variance, 0 or more" : "number");
}

void FeatureReader::fail_for_row(kernels::Rows<const float> features,
                                 std::span<const std::uint32_t> rows) const {
  std::vector<float> values(features.size());
  kernels::copy_to_host<float>(model_.device(), features.flat(), values);
  const auto bad = std::ranges::find_if(values, [](float value) { return !std::isfinite(value); });
  const auto place = static_cast<std::size_t>(bad - values.begin());
  fail<NonFiniteError>(
      "[features] the features of row {} are not finite: column {} is {}. The weights are too "
      "large "
      "for this picture: go back to an earlier checkpoint, with a smaller --lr",
      rows[place / features.columns], place % features.columns, *bad);
}

void FeatureReader::read(std::span<const std::uint32_t> rows,
                         const kernels::Augmenter& augmenter,
                         const kernels::AugmentKey& key,
                         const Take& take) {
  if (rows.empty()) return;
  kernels::Device& device = model_.device();
  const std::size_t block = batches_.batch();
  const kernels::PictureShape& view = augmenter.shape();
  if (images_.size() < block * view.size())
    images_ = kernels::Buffer<float>(device, block * view.size());
  const std::size_t needed = augmenter.scratch_bytes(block);
  if (!scratch_ || scratch_->capacity() < needed) {
    scratch_.reset();
    scratch_.emplace(device, needed);
  }
  const kernels::Rows<float> images{images_.data(), block, view.size()};
  const std::size_t columns = features_.size() / block;
  const nn::Shape shape{static_cast<std::int64_t>(block), view.channels, view.height, view.width};

  require_usable_weights();
  batches_.plan({rows.begin(), rows.end()});
  for (std::size_t i = 0; i < batches_.batches(); ++i) {
    const kernels::StreamedBatch batch = batches_.at(i);
    augmenter.augment(batch.pictures, batch.rows, key, *scratch_, images);
    encoder_.infer(shape, images.flat(), features_.rows(block, columns));
    const kernels::Rows<const float> features{features_.data(), batches_.planned(i), columns};
    start_check(features.flat());
    if (bad_entries() != 0) fail_for_row(features, rows.subspan(i * block, features.rows));
    take(i * block, features);
  }
}

}  // namespace opencd
