#include "opencd/classifier.hpp"

#include "error.hpp"
#include "files/safetensors.hpp"
#include "kernels/top_k.hpp"
#include "nn/model_weights.hpp"
#include "opencd/device_pictures.hpp"

#include <algorithm>
#include <numeric>

namespace opencd {

namespace {

/// The network that the file holds the weights of: the classifier's shape gives the classes.
nn::ResNetConfig network_config(const ClassifierConfig& config, const data::ImageShape& shape) {
  nn::ResNetConfig network = nn::resnet_config(config.arch, config.stem);
  if (config.width != 0) network.width = config.width;
  network.in_channels = static_cast<std::int64_t>(shape.channels);
  network.inference_only = true;
  const files::SafetensorsFile file(config.weights);
  const std::string name = network.classifier_name + ".weight";
  const files::TensorInfo* weight = file.find(name);
  if (weight == nullptr || weight->shape.size() != 2)
    fail<FormatError>(
        "[classifier] {}: expected a matrix \"{}\" of classes x features; these are not "
        "the weights of a {} classifier",
        config.weights.string(), name, config.arch);
  network.classes = weight->shape[0];
  return network;
}

kernels::AugmentConfig view_config(const ClassifierConfig& config) {
  kernels::AugmentConfig view = kernels::augment_preset("test");
  view.mean = config.mean;
  view.std = config.std;
  return view;
}

nn::Shape batch_shape(const data::ImageShape& shape, std::size_t batch) {
  return {static_cast<std::int64_t>(batch), static_cast<std::int64_t>(shape.channels),
          static_cast<std::int64_t>(shape.height), static_cast<std::int64_t>(shape.width)};
}

std::vector<std::int32_t> count_up(std::size_t count) {
  std::vector<std::int32_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

}  // namespace

Classifier::Classifier(const nn::Engine& engine,
                       const ClassifierConfig& config,
                       const data::ImageShape& shape)
    : shape_(shape),
      batch_(config.batch),
      config_(network_config(config, shape)),
      model_(engine),
      network_(model_, config_, batch_shape(shape, batch_)),
      augmenter_(engine.device(), view_config(config), picture_shape(shape)),
      scratch_(engine.device(), augmenter_.scratch_bytes(batch_)),
      pixels_(engine.device(), batch_ * shape.size()),
      places_(kernels::to_device(engine.device(), count_up(batch_))),
      images_(engine.device(), batch_ * shape.size()),
      logits_(engine.device(), batch_ * static_cast<std::size_t>(config_.classes)),
      classes_(engine.device(), batch_) {
  model_.allocate();
  nn::load_model(config.weights, model_.parameters());
}

void Classifier::classify_batch(std::size_t count) {
  kernels::Device& device = model_.device();
  const kernels::Rows<float> images{images_.data(), count, shape_.size()};
  const kernels::Rows<float> logits{logits_.data(), count,
                                    static_cast<std::size_t>(config_.classes)};
  augmenter_.augment({pixels_.view(), picture_shape(shape_)}, places_.view().slice(0, count), {},
                     scratch_, images);
  network_.infer(batch_shape(shape_, count), images.flat(), logits);
  kernels::argmax_rows(device, logits, classes_.view().slice(0, count));
}

std::vector<std::int32_t> Classifier::classify(const data::ImageRows& rows,
                                               const std::function<void(std::size_t)>& progress) {
  kernels::Device& device = model_.device();
  std::vector<std::int32_t> result(rows.size());
  for (std::size_t first = 0; first < rows.size(); first += batch_) {
    const std::size_t count = std::min(batch_, rows.size() - first);
    const auto bytes = rows.pixels.view().subspan(first * shape_.size(), count * shape_.size());
    kernels::copy_to_device<std::uint8_t>(device, bytes, pixels_.view().slice(0, bytes.size()));
    classify_batch(count);
    kernels::copy_to_host<std::int32_t>(device, classes_.view().slice(0, count),
                                        std::span(result).subspan(first, count));
    if (progress) progress(first + count);
  }
  return result;
}

}  // namespace opencd
