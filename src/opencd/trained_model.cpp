#include "opencd/trained_model.hpp"

#include "error.hpp"
#include "kernels/normalize.hpp"
#include "nn/model_weights.hpp"
#include "opencd/methods/registry.hpp"
#include "opencd/row_choice.hpp"

#include <algorithm>

namespace opencd {

namespace {

/// Methods make room for training steps; the smallest that all of them take.
constexpr std::int64_t kSmallestBatch = 2;

nn::ResNetConfig encoder_config(const ModelDescription& description) {
  nn::ResNetConfig config = description.encoder.network();
  config.inference_only = true;
  return config;
}

nn::Shape one_picture(const data::ImageShape& shape) {
  return {1, static_cast<std::int64_t>(shape.channels), static_cast<std::int64_t>(shape.height),
          static_cast<std::int64_t>(shape.width)};
}

void copy_block(const std::vector<Prediction>& block,
                std::size_t first,
                std::vector<Prediction>& all) {
  std::copy(block.begin(), block.end(), all.begin() + static_cast<std::ptrdiff_t>(first));
}

}  // namespace

TrainedModel::TrainedModel(const nn::Engine& engine,
                           const SavedModel& saved,
                           const TrainedModelOptions& options)
    : description_(saved.description),
      block_(options.block),
      model_(engine, {.deterministic = options.deterministic}),
      encoder_(model_, encoder_config(description_), one_picture(description_.picture)),
      method_(make_method(description_.method,
                          {.model = model_,
                           .features = encoder_.config().feature_count(),
                           .batch = kSmallestBatch,
                           .known = description_.known,
                           .classes = description_.classes,
                           .seed = description_.seed},
                          description_.method_options)),
      augmenter_(engine.device(), description_.test_view(), picture_shape(description_.picture)) {
  model_.allocate();
  method_->allocate();
  nn::load_model(saved.weights(), model_.parameters());
  try {
    method_->restore(saved.method_state);
  } catch (const FormatError& error) {
    fail<FormatError>("[model] {}: {}", saved.state().string(), error.what());
  }
}

void TrainedModel::require_shape(const data::ImageShape& shape, const std::string& name) const {
  const data::ImageShape& own = description_.picture;
  if (shape == own) return;
  fail<FormatError>(
      "[model] trained for {} x {} x {} pictures, but {} has {} x {} x {} (height, width, "
      "channels); give pictures as files, which are resized, or arrays of that shape",
      own.height, own.width, own.channels, name, shape.height, shape.width, shape.channels);
}

void TrainedModel::read(const data::ImageRows& rows,
                        std::span<const std::uint32_t> numbers,
                        const FeatureReader::Take& take,
                        const Progress& progress) {
  if (numbers.empty()) return;
  kernels::Device& device = model_.device();
  const DevicePictures pictures(device, rows, description_.picture, resident_limit(device));
  FeatureReader reader(model_, encoder_, pictures, block_);
  reader.read(numbers, augmenter_, {}, [&](std::size_t first, Rows<const float> features) {
    take(first, features);
    if (progress) progress(first + features.rows);
  });
}

std::vector<Prediction> TrainedModel::predict(const data::ImageRows& rows,
                                              std::span<const std::uint32_t> numbers,
                                              const Progress& progress) {
  std::vector<Prediction> result(numbers.size());
  const auto take = [&](std::size_t first, Rows<const float> features) {
    copy_block(method_->predict(features), first, result);
  };
  read(rows, numbers, take, progress);
  return result;
}

std::vector<Prediction> TrainedModel::predict(const data::ImageRows& rows,
                                              const Progress& progress) {
  return predict(rows, all_rows(rows.size()), progress);
}

RowFeatures TrainedModel::features(const data::ImageRows& rows,
                                   std::span<const std::uint32_t> numbers,
                                   const Progress& progress) {
  kernels::Device& device = model_.device();
  RowFeatures result;
  result.columns = static_cast<std::size_t>(encoder_.config().feature_count());
  const std::size_t own = method_->embedding_columns();
  result.embedding_columns = own != 0 ? own : result.columns;
  result.features.resize(numbers.size() * result.columns);
  result.embeddings.resize(numbers.size() * result.embedding_columns);
  result.predictions.resize(numbers.size());
  const kernels::Buffer<float> unit(device, block_ * result.embedding_columns);
  const kernels::Buffer<float> norms(device, block_);
  const auto to_host = [&](Rows<const float> src, std::size_t first, std::vector<float>& dst) {
    kernels::copy_to_host<float>(device, src.flat(),
                                 std::span(dst).subspan(first * src.columns, src.size()));
  };
  const auto take = [&](std::size_t first, Rows<const float> block) {
    const Rows<float> z{unit.data(), block.rows, result.embedding_columns};
    if (own != 0)
      method_->embed(block, z);
    else
      kernels::normalize_rows(device, block, z, norms.view().slice(0, block.rows));
    to_host(block, first, result.features);
    to_host(z, first, result.embeddings);
    copy_block(method_->predict(block), first, result.predictions);
  };
  read(rows, numbers, take, progress);
  return result;
}

RowFeatures TrainedModel::features(const data::ImageRows& rows, const Progress& progress) {
  return features(rows, all_rows(rows.size()), progress);
}

}  // namespace opencd
