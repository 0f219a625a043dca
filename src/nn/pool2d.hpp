// Average and maximum pooling.
#pragma once

#include "nn/layer.hpp"

namespace opencd::nn {

enum class PoolKind { average, maximum };

struct Pool2dConfig {
  PoolKind kind = PoolKind::average;
  std::int64_t kernel = 0;  // 0: the whole picture
  std::int64_t stride = 1;
  std::int64_t padding = 0;
};

class Pool2d {
 public:
  /// dst_desc is what the forward primitive prefers for a src of this layout.
  Pool2d(Model& model, const Pool2dConfig& config, const Desc& src, Use use);

  const Desc& dst_desc() const { return dst_desc_; }
  /// Where the maxima were; empty for averages and where nothing is trained.
  const Desc& workspace_desc() const { return workspace_desc_; }
  /// Scratch memory that either direction takes.
  std::size_t scratch_bytes() const;

  void forward(View<const float> src, View<float> dst, View<float> workspace) const;
  void backward(View<const float> diff_dst, View<float> diff_src, View<float> workspace) const;

 private:
  Model& model_;
  Desc src_desc_;
  Desc dst_desc_;
  Desc workspace_desc_;
  Operation forward_;
  Operation backward_;
};

/// The mean of every channel, as plain rows of features.
class GlobalAveragePool {
 public:
  GlobalAveragePool(Model& model, const Desc& src, Use use);

  void forward(View<const float> src, kernels::Rows<float> dst) const;
  void backward(kernels::Rows<const float> diff_dst, View<float> diff_src) const;

 private:
  Model& model_;
  Pool2d pool_;
  Desc rows_desc_;
};

}  // namespace opencd::nn
