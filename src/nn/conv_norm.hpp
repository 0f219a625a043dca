// Convolution, batch norm and, if asked for, ReLU: the unit that residual networks are made of and
// that inference folds into one convolution.
#pragma once

#include "nn/batch_norm.hpp"
#include "nn/conv2d.hpp"

namespace opencd::nn {

struct ConvNormConfig {
  std::string conv_name;
  std::string norm_name;
  Conv2dConfig conv;
  bool relu = true;
};

class ConvNorm {
 public:
  ConvNorm(Model& model, PassLayout& pass, const ConvNormConfig& config, const Desc& src, Use use);

  const Conv2d& conv() const { return conv_; }
  const BatchNorm& norm() const { return norm_; }
  const Desc& src_desc() const { return conv_.src_desc(); }
  const Desc& dst_desc() const { return conv_.dst_desc(); }

  /// Keeps the output of the convolution, the statistics and the mask in `saved`.
  void forward(View<const float> src, View<float> dst, const Saved& saved) const;
  /// The same where nothing is trained: keeps only the statistics.
  void forward_frozen(View<const float> src, View<float> dst, const Saved& saved) const;
  /// diff_dst is overwritten: it becomes the gradient of the convolution's output.
  void backward(View<const float> src,
                View<float> diff_dst,
                View<float> diff_src,
                const Saved& saved) const;
  /// The same, but leaves diff_dst alone and takes `diff_conv` for that gradient.
  void backward(View<const float> src,
                View<const float> diff_dst,
                View<float> diff_conv,
                View<float> diff_src,
                const Saved& saved) const;

 private:
  BatchNormSaved norm_saved(const Saved& saved) const;

  Model& model_;
  const BatchStatistics& statistics_;
  Conv2d conv_;
  BatchNorm norm_;
  Slot conv_dst_;
  Slot mask_;
};

}  // namespace opencd::nn
