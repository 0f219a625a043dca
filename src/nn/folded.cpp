#include "nn/folded.hpp"

#include "kernels/batch_statistics.hpp"
#include "kernels/check.hpp"
#include "kernels/elementwise.hpp"
#include "nn/reorder.hpp"

namespace opencd::nn {

FoldedConv::FoldedConv(Model& model,
                       const Conv2d& conv,
                       const BatchNorm* norm,
                       const FoldedConvConfig& config)
    : model_(model),
      conv_(conv),
      norm_(norm),
      config_(config),
      winograd_(WinogradConv::suits(model, conv.config())),
      channel_desc_(plain_desc({conv.config().out_channels})) {}

FoldedConv::Step FoldedConv::prepare(const Desc& src, const Desc& dst) {
  const Conv2dConfig& conv = conv_.config();
  if (winograd_) return prepare_winograd(shape_of(src));
  dnnl::post_ops post;
  if (config_.add) post.append_sum(1.0f);
  if (config_.relu) post.append_eltwise(dnnl::algorithm::eltwise_relu, 0.0f, 0.0f);
  dnnl::primitive_attr attributes = model_.attributes();
  attributes.set_post_ops(post);

  const Desc dst_desc =
      dst.get_size() != 0 ? dst : model_.activation_desc(conv.output_shape(shape_of(src)));
  const bool first = weights_desc_.get_size() == 0;
  const auto with_weights = [&](const Desc& weights) {
    return choose_src_layout(src, [&](const Desc& desc) {
      return dnnl::convolution_forward::primitive_desc(
          model_.engine().dnnl(), dnnl::prop_kind::forward_inference,
          dnnl::algorithm::convolution_direct, desc, weights, channel_desc_, dst_desc,
          conv.strides(), conv.paddings(), conv.paddings(), attributes);
    });
  };
  const Desc any = any_desc(conv.weight_dims());
  auto forward = with_weights(first ? any : weights_desc_);
  // Pictures of another size may want other blocks of weights, and get a slow reference without.
  if (is_reference(forward)) forward = with_weights(any);
  if (first) {
    weights_desc_ = forward.weights_desc();
    model_.reserve_copies(weights_desc_.get_size() + 2 * channel_desc_.get_size());
  }
  Step step{forward.src_desc(), forward.dst_desc(), forward.weights_desc(),
            model_.operation<dnnl::convolution_forward>("folded conv", forward), nullptr};
  if (step.weights_desc != weights_desc_)
    model_.reserve_operation(Scratch::aligned(step.weights_desc.get_size()) +
                             step.operation.scratchpad.get_size());
  return step;
}

FoldedConv::Step FoldedConv::prepare_winograd(const Shape& src) {
  const Conv2dConfig& conv = conv_.config();
  const std::size_t filters = WinogradConv::filter_floats(conv) * sizeof(float);
  if (weights_desc_.get_size() == 0) model_.reserve_copies(filters + 2 * channel_desc_.get_size());
  weights_desc_ = WinogradConv::weights_desc(conv);
  model_.reserve_operation(
      weights_desc_.get_size());  // the folded weights, on their way to filters
  return {channels_last_desc(src),
          channels_last_desc(conv.output_shape(src)),
          weights_desc_,
          {},
          std::make_unique<WinogradConv>(model_, conv, src, Use::inference_only)};
}

void FoldedConv::fold() {
  Device& device = model_.device();
  const Parameter& weights = conv_.weights();
  if (weights_.size() == 0) {
    weights_ = Buffer<float>(
        device, winograd_ ? WinogradConv::filter_floats(conv_.config()) : floats_of(weights_desc_));
    scale_ = Buffer<float>(device, floats_of(channel_desc_));
    bias_ = Buffer<float>(device, floats_of(channel_desc_));
  }
  const Scratch::Frame frame(model_.scratch());
  const View<float> folded =
      winograd_ ? model_.scratch().take<float>(floats_of(weights_desc_)) : weights_.view();
  if (norm_ == nullptr) {
    kernels::fill(device, bias_, 0.0f);
    reorder(model_.engine(), weights.desc, weights.value, weights_desc_, folded);
  } else {
    kernels::fold_batch_norm(device,
                             {norm_->weight().value, norm_->bias().value,
                              norm_->running_mean().value, norm_->running_var().value},
                             scale_, bias_, norm_->config().epsilon);
    reorder_scaled(model_.engine(), weights.desc, weights.value, scale_, weights_desc_, folded);
  }
  if (winograd_) kernels::winograd_weights(device, folded, weights_, /*turned=*/false);
}

void FoldedConv::run(const Step& step, View<const float> src, View<float> dst) const {
  kernels::require_equal("folded conv", "floats in src", floats_of(step.src_desc), src.size);
  kernels::require_equal("folded conv", "floats in dst", floats_of(step.dst_desc), dst.size);
  if (step.winograd)
    return step.winograd->forward(src, weights_, dst, {bias_, config_.add, config_.relu});
  const Scratch::Frame frame(model_.scratch());
  View<float> weights = weights_;
  if (step.weights_desc != weights_desc_) {
    weights = model_.scratch().take<float>(floats_of(step.weights_desc));
    reorder(model_.engine(), weights_desc_, weights_, step.weights_desc, weights);
  }
  model_.execute(step.operation, {{DNNL_ARG_SRC, model_.wrap(step.src_desc, src.data)},
                                  {DNNL_ARG_WEIGHTS, model_.wrap(step.weights_desc, weights.data)},
                                  {DNNL_ARG_BIAS, model_.wrap(channel_desc_, bias_.data())},
                                  {DNNL_ARG_DST, model_.wrap(step.dst_desc, dst.data)}});
}

}  // namespace opencd::nn
