// Two-dimensional convolution without bias.
#pragma once

#include "nn/winograd_conv.hpp"

#include <optional>

namespace opencd::nn {

struct Conv2dConfig {
  std::int64_t in_channels = 0;
  std::int64_t out_channels = 0;
  std::int64_t kernel = 3;
  std::int64_t stride = 1;
  bool constant = false;  // weights copy the input to the middle channels and are never trained

  /// Half the kernel on all sides, as PyTorch's networks pad: the output size is rounded down, and
  /// oneDNN stays on its fast paths.
  std::int64_t padding() const { return kernel / 2; }
  Dims strides() const { return {stride, stride}; }
  Dims paddings() const { return {padding(), padding()}; }
  Shape output_shape(const Shape& src) const;
  Dims weight_dims() const { return {out_channels, in_channels, kernel, kernel}; }
};

/// The forward primitive for a src of this layout or, where oneDNN would be slow on it, for one in
/// a layout of oneDNN's choice.
template <class MakeDesc>
auto choose_src_layout(const Desc& src, const MakeDesc& make) {
  auto given = make(src);
  return is_reference(given) ? make(any_desc(src.get_dims())) : given;
}

class Conv2d {
 public:
  Conv2d(
      Model& model, const std::string& name, const Conv2dConfig& config, const Desc& src, Use use);

  const Conv2dConfig& config() const { return config_; }
  /// The input layout that oneDNN wants; where it differs from the one given, reorder first.
  const Desc& src_desc() const { return src_desc_; }
  const Desc& dst_desc() const { return dst_desc_; }
  const Parameter& weights() const { return *weights_; }

  void forward(View<const float> src, View<float> dst) const;
  /// Needs the src of forward. diff_src is not written when the layer is the first one trained.
  void backward(View<const float> src, View<const float> diff_dst, View<float> diff_src) const;
  /// The two halves of backward.
  void backward_weights(View<const float> src, View<const float> diff_dst) const;
  void backward_data(View<const float> diff_dst, View<float> diff_src) const;

 private:
  using ForwardDesc = dnnl::convolution_forward::primitive_desc;
  void build(const Desc& src, ParameterConfig weights, Use use);
  ForwardDesc forward_desc(const Desc& src) const;
  void build_backward_weights(const ForwardDesc& forward);
  void build_backward_data(const ForwardDesc& forward);

  Model& model_;
  Conv2dConfig config_;
  Use use_;
  Desc src_desc_;
  Desc dst_desc_;
  Parameter* weights_ = nullptr;
  std::optional<WinogradConv> winograd_;  // in place of the three operations below
  Operation forward_;
  Operation backward_weights_;
  Operation backward_data_;
  Desc diff_weights_desc_;  // where it differs from the weights' layout, reordered afterwards
  Desc data_weights_desc_;  // backward data mostly wants input and output channels swapped
};

}  // namespace opencd::nn
