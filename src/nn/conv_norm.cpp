#include "nn/conv_norm.hpp"

namespace opencd::nn {

ConvNorm::ConvNorm(
    Model& model, PassLayout& pass, const ConvNormConfig& config, const Desc& src, Use use)
    : model_(model),
      statistics_(pass.statistics),
      conv_(model, config.conv_name, config.conv, src, use),
      norm_(model,
            config.norm_name,
            {.channels = config.conv.out_channels, .relu = config.relu},
            conv_.dst_desc(),
            use) {
  if (use == Use::inference_only) return;
  const Shape dst = shape_of(conv_.dst_desc());
  pass.statistics.add(norm_, dst.n * dst.h * dst.w);
  if (is_trained(use)) {
    conv_dst_ = pass.saved.reserve(conv_.dst_desc());
    mask_ = pass.saved.reserve(norm_.mask_desc());
  } else if (norm_.keeps_mask()) {
    model.reserve_operation(norm_.scratch_bytes() +
                            Scratch::aligned(norm_.mask_desc().get_size() + sizeof(float)));
  }
}

BatchNormSaved ConvNorm::norm_saved(const Saved& saved) const {
  BatchNormSaved slice = statistics_.slice(norm_, saved);
  slice.mask = saved.at(mask_);
  return slice;
}

void ConvNorm::forward(View<const float> src, View<float> dst, const Saved& saved) const {
  conv_.forward(src, saved.at(conv_dst_));
  norm_.forward(saved.at(conv_dst_), dst, norm_saved(saved));
}

void ConvNorm::forward_frozen(View<const float> src, View<float> dst, const Saved& saved) const {
  conv_.forward(src, dst);  // before the mask is taken: it needs scratch memory of its own
  const Scratch::Frame frame(model_.scratch());
  BatchNormSaved slice = statistics_.slice(norm_, saved);
  if (norm_.keeps_mask())
    slice.mask = model_.scratch().take<float>(norm_.mask_desc().get_size() / sizeof(float) + 1);
  norm_.forward(dst, dst, slice);
}

void ConvNorm::backward(View<const float> src,
                        View<float> diff_dst,
                        View<float> diff_src,
                        const Saved& saved) const {
  backward(src, diff_dst, diff_dst, diff_src, saved);
}

void ConvNorm::backward(View<const float> src,
                        View<const float> diff_dst,
                        View<float> diff_conv,
                        View<float> diff_src,
                        const Saved& saved) const {
  norm_.backward(saved.at(conv_dst_), diff_dst, diff_conv, norm_saved(saved));
  conv_.backward(src, diff_conv, diff_src);
}

}  // namespace opencd::nn
