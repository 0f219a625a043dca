#include "nn/autoencoder.hpp"

#include "kernels/elementwise.hpp"

#include <algorithm>
#include <utility>

namespace opencd::nn {

namespace {

/// From the features to the embedding and back.
std::vector<std::int64_t> widths_of(const AutoencoderConfig& config) {
  std::vector<std::int64_t> widths = {config.features};
  widths.insert(widths.end(), config.hidden.begin(), config.hidden.end());
  widths.push_back(config.embedding);
  widths.insert(widths.end(), config.hidden.rbegin(), config.hidden.rend());
  widths.push_back(config.features);
  return widths;
}

std::size_t to_size(std::int64_t count) { return static_cast<std::size_t>(count); }

}  // namespace

Autoencoder::Autoencoder(Model& model, const AutoencoderConfig& config, std::int64_t rows)
    : model_(model),
      config_(config),
      rows_(to_size(rows)),
      first_parameter_(model.parameters().size(Role::trained)) {
  const std::vector<std::int64_t> widths = widths_of(config);
  const std::size_t half = config.hidden.size() + 1;
  for (std::size_t layer = 0; layer + 1 < widths.size(); ++layer) {
    const std::string name =
        layer < half ? fmt::format("encoder.{}", layer) : fmt::format("decoder.{}", layer - half);
    layers_.emplace_back(model, name,
                         LinearConfig{widths[layer], widths[layer + 1], Init::kaiming_fan_in}, rows,
                         layer == 0 ? Use::train_first : Use::train);
    dst_.push_back(saved_.reserve_floats(rows_ * to_size(widths[layer + 1])));
  }
  parameter_count_ = model.parameters().size(Role::trained) - first_parameter_;
  model.reserve_temporaries(TemporaryPool::bytes(2, rows_ * widest()));
}

std::size_t Autoencoder::widest() const {
  const std::vector<std::int64_t> widths = widths_of(config_);
  return to_size(*std::max_element(widths.begin(), widths.end()));
}

Rows<float> Autoencoder::dst_of(std::size_t layer, const Saved& saved) const {
  return {saved.at(dst_[layer]).data, rows_, to_size(layers_[layer].config().out_features)};
}

void Autoencoder::forward(Rows<const float> src, const Saved& saved) {
  for (std::size_t layer = 0; layer < layers_.size(); ++layer) {
    const Rows<float> dst = dst_of(layer, saved);
    layers_[layer].forward(src, dst);
    if (has_activation(layer))
      kernels::leaky_relu(model_.device(), dst.flat(), dst.flat(), config_.slope);
    src = dst;
  }
}

void Autoencoder::backward(Rows<const float> src,
                           Rows<const float> diff_embedded,
                           Rows<const float> diff_reconstructed,
                           const Saved& saved) {
  Device& device = model_.device();
  const Scratch::Frame frame(model_.scratch());
  View<float> diff = model_.scratch().take<float>(rows_ * widest());
  View<float> other = model_.scratch().take<float>(rows_ * widest());
  kernels::copy(device, diff_reconstructed.flat(), diff.slice(0, diff_reconstructed.size()));
  for (std::size_t layer = layers_.size(); layer-- > 0;) {
    const Rows<float> dst = dst_of(layer, saved);
    const Rows<float> diff_dst{diff.data, dst.rows, dst.columns};
    if (has_activation(layer))
      kernels::leaky_relu_backward(device, dst.flat(), diff_dst.flat(), diff_dst.flat(),
                                   config_.slope);
    if (layer == middle() && diff_embedded.size() != 0)
      kernels::add(device, diff_embedded.flat(), diff_dst.flat(), diff_dst.flat());
    const Rows<float> layer_src = layer == 0 ? Rows<float>{} : dst_of(layer - 1, saved);
    layers_[layer].backward(layer == 0 ? src : layer_src, diff_dst,
                            {other.data, layer_src.rows, layer_src.columns});
    std::swap(diff, other);
  }
  model_.parameters().accumulate(first_parameter_, parameter_count_);
}

void Autoencoder::encode(Rows<const float> src, Rows<float> dst) const {
  model_.reserve_temporaries(TemporaryPool::bytes(2, src.rows * widest()));
  const Scratch::Frame frame(model_.scratch());
  View<float> here = model_.scratch().take<float>(src.rows * widest());
  View<float> there = model_.scratch().take<float>(src.rows * widest());
  for (std::size_t layer = 0; layer <= middle(); ++layer) {
    const Rows<float> result{layer == middle() ? dst.data : here.data, src.rows,
                             to_size(layers_[layer].config().out_features)};
    layers_[layer].infer(src, result);
    if (has_activation(layer))
      kernels::leaky_relu(model_.device(), result.flat(), result.flat(), config_.slope);
    src = result;
    std::swap(here, there);
  }
}

}  // namespace opencd::nn
