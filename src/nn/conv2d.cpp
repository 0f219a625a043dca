#include "nn/conv2d.hpp"

#include "kernels/check.hpp"
#include "nn/reorder.hpp"

#include <string_view>

namespace opencd::nn {

namespace {

constexpr auto kDirect = dnnl::algorithm::convolution_direct;

/// oneDNN 3.13's routine of strided 1x1 convolutions for AVX2 takes pixels of fewer channels than a
/// vector has for one another's: gradients of weights that are wrong, and others every time.
template <class PrimitiveDesc>
bool is_wrong(const Conv2dConfig& config, const PrimitiveDesc& desc) {
  return config.stride > 1 && config.in_channels < 8 &&
         std::string_view(desc.impl_info_str()) == "jit_1x1:avx2";
}

std::string described(const Conv2dConfig& config, const Desc& src) {
  return fmt::format(
      "[conv2d] gradient of the weights of {0} x {0}, stride {1}, {2} to {3} channels, of "
      "pictures {4}",
      config.kernel, config.stride, config.in_channels, config.out_channels,
      to_string(shape_of(src)));
}

}  // namespace

Shape Conv2dConfig::output_shape(const Shape& src) const {
  if (src.c != in_channels)
    fail<ShapeError>("[conv2d] expected {} input channels, got {}", in_channels, src.c);
  const auto side = [&](std::int64_t length) {
    return (length + 2 * padding() - kernel) / stride + 1;
  };
  if (src.h + 2 * padding() < kernel || src.w + 2 * padding() < kernel)
    fail<ShapeError>("[conv2d] expected a picture of at least {0} x {0}, got {1} x {2}",
                     kernel - 2 * padding(), src.h, src.w);
  return {src.n, out_channels, side(src.h), side(src.w)};
}

Conv2d::Conv2d(
    Model& model, const std::string& name, const Conv2dConfig& config, const Desc& src, Use use)
    : model_(model), config_(config), use_(use), src_desc_(src) {
  ParameterConfig weights{.name = name + ".weight",
                          .desc = plain_desc(config.weight_dims()),
                          .role = config.constant ? Role::constant : parameter_role(use),
                          .init = config.constant ? Init::centre_channels : Init::kaiming_normal};
  if (use == Use::inference_only) {
    weights_ = &model.parameters().add(weights);
    return;
  }
  if (WinogradConv::suits(model, config)) {
    src_desc_ = channels_last_desc(shape_of(src));
    dst_desc_ = channels_last_desc(config.output_shape(shape_of(src)));
    weights.desc = WinogradConv::weights_desc(config);
    weights_ = &model.parameters().add(weights);
    winograd_.emplace(model, config, shape_of(src), use);
    return;
  }
  build(src, weights, use);
}

void Conv2d::build(const Desc& src, ParameterConfig weights, Use use) {
  const ForwardDesc forward =
      choose_src_layout(src, [&](const Desc& desc) { return forward_desc(desc); });
  src_desc_ = forward.src_desc();
  dst_desc_ = forward.dst_desc();
  forward_ = model_.operation<dnnl::convolution_forward>("conv forward", forward);
  weights.desc = forward.weights_desc();
  weights_ = &model_.parameters().add(weights);
  if (is_trained(use) && !config_.constant) build_backward_weights(forward);
  if (use == Use::train) build_backward_data(forward);
}

Conv2d::ForwardDesc Conv2d::forward_desc(const Desc& src) const {
  return {model_.engine().dnnl(),
          dnnl::prop_kind::forward_training,
          kDirect,
          src,
          any_desc(config_.weight_dims()),
          model_.activation_desc(config_.output_shape(shape_of(src))),
          config_.strides(),
          config_.paddings(),
          config_.paddings(),
          model_.attributes()};
}

void Conv2d::build_backward_weights(const ForwardDesc& forward) {
  const auto with_weights = [&](const Desc& weights) {
    dnnl::convolution_backward_weights::primitive_desc desc(
        model_.engine().dnnl(), kDirect, src_desc_, weights, dst_desc_, config_.strides(),
        config_.paddings(), config_.paddings(), forward, model_.attributes());
    skip_routines(
        desc, [&](const auto& routine) { return is_wrong(config_, routine); },
        [&] { return described(config_, src_desc_); });
    return desc;
  };
  auto backward = with_weights(weights_->desc);
  if (is_reference(backward)) backward = with_weights(any_desc(config_.weight_dims()));
  diff_weights_desc_ = backward.diff_weights_desc();
  backward_weights_ =
      model_.operation<dnnl::convolution_backward_weights>("conv backward weights", backward);
  if (diff_weights_desc_ != weights_->desc)
    model_.reserve_operation(Scratch::aligned(diff_weights_desc_.get_size()) +
                             backward_weights_.scratchpad.get_size());
}

void Conv2d::build_backward_data(const ForwardDesc& forward) {
  const dnnl::convolution_backward_data::primitive_desc backward(
      model_.engine().dnnl(), kDirect, src_desc_, any_desc(config_.weight_dims()), dst_desc_,
      config_.strides(), config_.paddings(), config_.paddings(), forward, model_.attributes());
  data_weights_desc_ = backward.weights_desc();
  backward_data_ =
      model_.operation<dnnl::convolution_backward_data>("conv backward data", backward);
  if (data_weights_desc_ != weights_->desc)
    model_.reserve_operation(Scratch::aligned(data_weights_desc_.get_size()) +
                             backward_data_.scratchpad.get_size());
}

void Conv2d::forward(View<const float> src, View<float> dst) const {
  kernels::require_equal("conv2d", "floats in src", floats_of(src_desc_), src.size);
  kernels::require_equal("conv2d", "floats in dst", floats_of(dst_desc_), dst.size);
  if (winograd_) return winograd_->forward_from_weights(src, weights_->value, dst);
  model_.execute(forward_, {{DNNL_ARG_SRC, model_.wrap(src_desc_, src.data)},
                            {DNNL_ARG_WEIGHTS, model_.wrap(weights_->desc, weights_->value.data)},
                            {DNNL_ARG_DST, model_.wrap(dst_desc_, dst.data)}});
}

void Conv2d::backward(View<const float> src,
                      View<const float> diff_dst,
                      View<float> diff_src) const {
  if (is_trained(use_) && !config_.constant) backward_weights(src, diff_dst);
  if (use_ == Use::train) backward_data(diff_dst, diff_src);
}

void Conv2d::backward_weights(View<const float> src, View<const float> diff_dst) const {
  kernels::require_equal("conv2d", "floats in src", floats_of(src_desc_), src.size);
  kernels::require_equal("conv2d", "floats in diff_dst", floats_of(dst_desc_), diff_dst.size);
  if (winograd_) return winograd_->backward_weights(src, diff_dst, weights_->diff);
  const Scratch::Frame frame(model_.scratch());
  const bool same = diff_weights_desc_ == weights_->desc;
  const View<float> diff_weights =
      same ? weights_->diff : model_.scratch().take<float>(floats_of(diff_weights_desc_));
  model_.execute(backward_weights_,
                 {{DNNL_ARG_SRC, model_.wrap(src_desc_, src.data)},
                  {DNNL_ARG_DIFF_DST, model_.wrap(dst_desc_, diff_dst.data)},
                  {DNNL_ARG_DIFF_WEIGHTS, model_.wrap(diff_weights_desc_, diff_weights.data)}});
  if (!same)
    reorder(model_.engine(), diff_weights_desc_, diff_weights, weights_->desc, weights_->diff);
}

void Conv2d::backward_data(View<const float> diff_dst, View<float> diff_src) const {
  kernels::require_equal("conv2d", "floats in diff_dst", floats_of(dst_desc_), diff_dst.size);
  kernels::require_equal("conv2d", "floats in diff_src", floats_of(src_desc_), diff_src.size);
  if (winograd_) return winograd_->backward_data(diff_dst, weights_->value, diff_src);
  const Scratch::Frame frame(model_.scratch());
  View<float> weights = weights_->value;
  if (data_weights_desc_ != weights_->desc) {
    weights = model_.scratch().take<float>(floats_of(data_weights_desc_));
    reorder(model_.engine(), weights_->desc, weights_->value, data_weights_desc_, weights);
  }
  model_.execute(backward_data_, {{DNNL_ARG_DIFF_DST, model_.wrap(dst_desc_, diff_dst.data)},
                                  {DNNL_ARG_WEIGHTS, model_.wrap(data_weights_desc_, weights.data)},
                                  {DNNL_ARG_DIFF_SRC, model_.wrap(src_desc_, diff_src.data)}});
}

}  // namespace opencd::nn
