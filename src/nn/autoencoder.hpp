// An autoencoder over rows of features: linear layers with leaky ReLU between them, narrow in the
// middle. The embedding and the reconstruction have no activation. Parameters are called encoder.0,
// encoder.1, ... and decoder.0, ..., the decoder being the mirror of the encoder.
#pragma once

#include "nn/linear.hpp"
#include "nn/saved.hpp"

#include <deque>
#include <vector>

namespace opencd::nn {

struct AutoencoderConfig {
  std::int64_t features = 0;
  std::vector<std::int64_t> hidden = {500, 500, 2000};
  std::int64_t embedding = 5;
  float slope = 0.01f;  // of the leaky ReLU
};

class Autoencoder {
 public:
  /// For training on `rows` rows; `encode` takes any number.
  Autoencoder(Model& model, const AutoencoderConfig& config, std::int64_t rows);
  Autoencoder(const Autoencoder&) = delete;
  Autoencoder& operator=(const Autoencoder&) = delete;

  const AutoencoderConfig& config() const { return config_; }
  Saved make_saved() const { return Saved(model_.device(), saved_); }

  void forward(Rows<const float> src, const Saved& saved);
  Rows<float> embedded(const Saved& saved) const { return dst_of(middle(), saved); }
  Rows<float> reconstructed(const Saved& saved) const { return dst_of(layers_.size() - 1, saved); }

  /// Adds to the gradients. Takes the src of forward, unchanged, and gradients of what both ends
  /// gave; the embedding's may be empty, {}: zero.
  void backward(Rows<const float> src,
                Rows<const float> diff_embedded,
                Rows<const float> diff_reconstructed,
                const Saved& saved);

  void encode(Rows<const float> src, Rows<float> dst) const;

 private:
  std::size_t middle() const { return layers_.size() / 2 - 1; }
  bool has_activation(std::size_t layer) const {
    return layer != middle() && layer + 1 != layers_.size();
  }
  std::size_t widest() const;
  Rows<float> dst_of(std::size_t layer, const Saved& saved) const;

  Model& model_;
  AutoencoderConfig config_;
  std::size_t rows_;
  std::size_t first_parameter_;  // in the trained range
  std::size_t parameter_count_ = 0;
  SavedLayout saved_;
  std::deque<Linear> layers_;
  std::vector<Slot> dst_;  // of every layer, after its activation
};

}  // namespace opencd::nn
