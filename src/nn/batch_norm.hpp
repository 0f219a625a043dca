// Batch normalisation over the channels of pictures or features, optionally with ReLU fused in.
//   forward  y = (x - mean) / sqrt(var + eps) * weight + bias, mean and var of the batch
//   infer    the same with the running mean and variance
// Running statistics move once a pass, for all layers of a network in one launch
// (BatchStatistics::update): running = (1 - momentum) running + momentum batch, where the variance
// is the unbiased one, as PyTorch keeps it.
#pragma once

#include "kernels/batch_norm.hpp"
#include "nn/layer.hpp"
#include "nn/saved.hpp"

namespace opencd::nn {

struct BatchNormConfig {
  std::int64_t channels = 0;
  bool relu = false;
  float epsilon = 1e-5f;
};

/// The statistics of one batch in one layer, and where ReLU let values through.
struct BatchNormSaved {
  View<float> mean;
  View<float> var;
  View<float> mask;  // oneDNN's workspace; empty where none is kept
};

class BatchNorm {
 public:
  BatchNorm(Model& model,
            const std::string& name,
            const BatchNormConfig& config,
            const Desc& src,
            Use use);

  const BatchNormConfig& config() const { return config_; }
  /// Layout of the mask; empty without ReLU and where the channels lie innermost.
  const Desc& mask_desc() const { return mask_desc_; }
  bool keeps_mask() const { return mask_desc_.get_size() != 0; }
  /// Scratch memory that forward takes.
  std::size_t scratch_bytes() const { return forward_.scratchpad.get_size(); }
  const Parameter& weight() const { return *weight_; }
  const Parameter& bias() const { return *bias_; }
  const Parameter& running_mean() const { return *running_mean_; }
  const Parameter& running_var() const { return *running_var_; }

  /// Assigns dst (which may be src) and `saved`.
  void forward(View<const float> src, View<float> dst, const BatchNormSaved& saved) const;
  /// Any number of pictures; `src` is the layout of both.
  void infer(const Desc& desc, View<const float> src, View<float> dst) const;
  /// diff_src may be diff_dst.
  void backward(View<const float> src,
                View<const float> diff_dst,
                View<float> diff_src,
                const BatchNormSaved& saved) const;

 private:
  void build_by_onednn(bool trained);
  dnnl::normalization_flags flags() const;
  void forward_by_columns(View<const float> src,
                          View<float> dst,
                          const BatchNormSaved& saved) const;
  void backward_by_columns(View<const float> src,
                           View<const float> diff_dst,
                           View<float> diff_src,
                           const BatchNormSaved& saved) const;
  kernels::FixedNorm with_moments(const BatchNormSaved& saved) const;
  /// The batch as a matrix with a column for each channel.
  template <class T>
  Rows<T> columns(View<T> view) const;

  Model& model_;
  BatchNormConfig config_;
  Desc desc_;
  Desc channel_desc_;
  bool by_columns_;  // channels innermost: kernels of ours; any other layout: oneDNN
  Desc mask_desc_;
  Parameter* weight_ = nullptr;
  Parameter* bias_ = nullptr;
  Parameter* running_mean_ = nullptr;
  Parameter* running_var_ = nullptr;
  Operation forward_;
  Operation backward_;
};

/// The batch statistics of all batch norms of a network, side by side like the running ones.
class BatchStatistics {
 public:
  static constexpr float kMomentum = 0.1f;

  explicit BatchStatistics(Model& model)
      : model_(model), first_(model.parameters().size(Role::running_mean)) {}

  /// Registers a layer whose mean is over `count` values a channel.
  void add(const BatchNorm& layer, std::int64_t count);
  /// Reserves room in a Saved. Call it when all layers are added.
  void reserve(SavedLayout& layout);
  /// The parts of a Saved that belong to `layer`.
  BatchNormSaved slice(const BatchNorm& layer, const Saved& saved) const;
  /// Moves the running statistics of all layers that were added towards those of the batch.
  void update(const Saved& saved) const;

 private:
  Model& model_;
  std::size_t first_;          // of this network in the running ranges
  std::vector<float> unbias_;  // n / (n - 1) by channel, 0 where there is no layer
  mutable Buffer<float> unbias_on_device_;
  Slot mean_;
  Slot var_;
};

/// What one pass through a network keeps: filled while the network is built.
struct PassLayout {
  explicit PassLayout(Model& model) : statistics(model) {}

  SavedLayout saved;
  BatchStatistics statistics;
};

}  // namespace opencd::nn
