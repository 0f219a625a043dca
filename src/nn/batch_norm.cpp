#include "nn/batch_norm.hpp"

#include "kernels/check.hpp"
#include "kernels/columns.hpp"

#include <algorithm>

namespace opencd::nn {

BatchNorm::BatchNorm(
    Model& model, const std::string& name, const BatchNormConfig& config, const Desc& src, Use use)
    : model_(model),
      config_(config),
      desc_(src),
      channel_desc_(plain_desc({config.channels})),
      by_columns_(use != Use::inference_only && src == channels_last_desc(shape_of(src))) {
  const auto add = [&](const char* suffix, Role role, Init init) {
    return &model.parameters().add(
        {.name = name + suffix, .desc = channel_desc_, .role = role, .init = init, .decay = false});
  };
  weight_ = add(".weight", parameter_role(use), Init::ones);
  bias_ = add(".bias", parameter_role(use), Init::zeros);
  running_mean_ = add(".running_mean", Role::running_mean, Init::zeros);
  running_var_ = add(".running_var", Role::running_var, Init::ones);
  if (use == Use::inference_only) return;
  kernels::require_equal("batch_norm", "channels", static_cast<std::size_t>(config.channels),
                         static_cast<std::size_t>(shape_of(src).c));

  if (!by_columns_) {
    build_by_onednn(is_trained(use));
    return;
  }
  const Rows<float> matrix = columns(View<float>{nullptr, floats_of(desc_)});
  model.reserve_operation(
      std::max(kernels::batch_norm_scratch_bytes(matrix.rows, matrix.columns),
               kernels::column_moments_scratch_bytes(matrix.rows, matrix.columns)));
}

void BatchNorm::build_by_onednn(bool trained) {
  const dnnl::batch_normalization_forward::primitive_desc forward(
      model_.engine().dnnl(), dnnl::prop_kind::forward_training, desc_, desc_, config_.epsilon,
      flags(), model_.attributes());
  if (config_.relu) mask_desc_ = forward.workspace_desc();
  forward_ = model_.operation<dnnl::batch_normalization_forward>("batch norm forward", forward);
  if (!trained) return;
  const dnnl::batch_normalization_backward::primitive_desc backward(
      model_.engine().dnnl(), dnnl::prop_kind::backward, desc_, desc_, desc_, config_.epsilon,
      flags(), forward, model_.attributes());
  backward_ = model_.operation<dnnl::batch_normalization_backward>("batch norm backward", backward);
}

template <class T>
Rows<T> BatchNorm::columns(View<T> view) const {
  const auto channels = static_cast<std::size_t>(config_.channels);
  return {view.data, view.size / channels, channels};
}

kernels::FixedNorm BatchNorm::with_moments(const BatchNormSaved& saved) const {
  return {weight_->value, bias_->value, saved.mean, saved.var};
}

void BatchNorm::forward_by_columns(View<const float> src,
                                   View<float> dst,
                                   const BatchNormSaved& saved) const {
  kernels::column_moments(model_.device(), model_.scratch(), columns(src), saved.mean, saved.var);
  kernels::batch_norm_forward(model_.device(), model_.scratch(), {config_.epsilon, config_.relu},
                              with_moments(saved), columns(src), columns(dst));
}

void BatchNorm::backward_by_columns(View<const float> src,
                                    View<const float> diff_dst,
                                    View<float> diff_src,
                                    const BatchNormSaved& saved) const {
  kernels::batch_norm_backward(model_.device(), model_.scratch(), {config_.epsilon, config_.relu},
                               with_moments(saved), columns(src), columns(diff_dst),
                               {columns(diff_src), weight_->diff, bias_->diff});
}

dnnl::normalization_flags BatchNorm::flags() const {
  using Flags = dnnl::normalization_flags;
  const Flags affine = Flags::use_scale | Flags::use_shift;
  return config_.relu ? affine | Flags::fuse_norm_relu : affine;
}

void BatchNorm::forward(View<const float> src, View<float> dst, const BatchNormSaved& saved) const {
  kernels::require_equal("batch_norm", "floats in src", floats_of(desc_), src.size);
  kernels::require_equal("batch_norm", "floats in dst", floats_of(desc_), dst.size);
  if (by_columns_) return forward_by_columns(src, dst, saved);
  Arguments arguments{{DNNL_ARG_SRC, model_.wrap(desc_, src.data)},
                      {DNNL_ARG_DST, model_.wrap(desc_, dst.data)},
                      {DNNL_ARG_SCALE, model_.wrap(channel_desc_, weight_->value.data)},
                      {DNNL_ARG_SHIFT, model_.wrap(channel_desc_, bias_->value.data)},
                      {DNNL_ARG_MEAN, model_.wrap(channel_desc_, saved.mean.data)},
                      {DNNL_ARG_VARIANCE, model_.wrap(channel_desc_, saved.var.data)}};
  if (config_.relu)
    arguments.insert({DNNL_ARG_WORKSPACE, model_.wrap(mask_desc_, saved.mask.data)});
  model_.execute(forward_, std::move(arguments));
}

void BatchNorm::infer(const Desc& desc, View<const float> src, View<float> dst) const {
  using Flags = dnnl::normalization_flags;
  // Of any batch size, so made here; oneDNN's cache makes that cheap.
  const dnnl::batch_normalization_forward::primitive_desc primitive(
      model_.engine().dnnl(), dnnl::prop_kind::forward_inference, desc, desc, config_.epsilon,
      flags() | Flags::use_global_stats);
  model_.engine().execute(
      "batch norm", dnnl::batch_normalization_forward(primitive),
      {{DNNL_ARG_SRC, model_.wrap(desc, src.data)},
       {DNNL_ARG_DST, model_.wrap(desc, dst.data)},
       {DNNL_ARG_SCALE, model_.wrap(channel_desc_, weight_->value.data)},
       {DNNL_ARG_SHIFT, model_.wrap(channel_desc_, bias_->value.data)},
       {DNNL_ARG_MEAN, model_.wrap(channel_desc_, running_mean_->value.data)},
       {DNNL_ARG_VARIANCE, model_.wrap(channel_desc_, running_var_->value.data)}});
}

void BatchNorm::backward(View<const float> src,
                         View<const float> diff_dst,
                         View<float> diff_src,
                         const BatchNormSaved& saved) const {
  kernels::require_equal("batch_norm", "floats in src", floats_of(desc_), src.size);
  kernels::require_equal("batch_norm", "floats in diff_dst", floats_of(desc_), diff_dst.size);
  kernels::require_equal("batch_norm", "floats in diff_src", floats_of(desc_), diff_src.size);
  if (by_columns_) return backward_by_columns(src, diff_dst, diff_src, saved);
  Arguments arguments{{DNNL_ARG_SRC, model_.wrap(desc_, src.data)},
                      {DNNL_ARG_MEAN, model_.wrap(channel_desc_, saved.mean.data)},
                      {DNNL_ARG_VARIANCE, model_.wrap(channel_desc_, saved.var.data)},
                      {DNNL_ARG_SCALE, model_.wrap(channel_desc_, weight_->value.data)},
                      {DNNL_ARG_DIFF_DST, model_.wrap(desc_, diff_dst.data)},
                      {DNNL_ARG_DIFF_SRC, model_.wrap(desc_, diff_src.data)},
                      {DNNL_ARG_DIFF_SCALE, model_.wrap(channel_desc_, weight_->diff.data)},
                      {DNNL_ARG_DIFF_SHIFT, model_.wrap(channel_desc_, bias_->diff.data)}};
  if (config_.relu)
    arguments.insert({DNNL_ARG_WORKSPACE, model_.wrap(mask_desc_, saved.mask.data)});
  model_.execute(backward_, std::move(arguments));
}

void BatchStatistics::add(const BatchNorm& layer, std::int64_t count) {
  if (count < 2)
    fail<ShapeError>("[batch_norm] expected at least 2 values a channel to train with, got {}",
                     count);
  const std::size_t first = layer.running_mean().offset - first_;
  const auto channels = static_cast<std::size_t>(layer.config().channels);
  unbias_.resize(first + channels, 0.0f);
  const auto n = static_cast<double>(count);
  std::fill(unbias_.begin() + static_cast<std::ptrdiff_t>(first), unbias_.end(),
            static_cast<float>(n / (n - 1.0)));
}

void BatchStatistics::reserve(SavedLayout& layout) {
  mean_ = layout.reserve_floats(unbias_.size());
  var_ = layout.reserve_floats(unbias_.size());
}

BatchNormSaved BatchStatistics::slice(const BatchNorm& layer, const Saved& saved) const {
  const std::size_t first = layer.running_mean().offset - first_;
  const auto channels = static_cast<std::size_t>(layer.config().channels);
  return {saved.at(mean_).slice(first, channels), saved.at(var_).slice(first, channels), {}};
}

void BatchStatistics::update(const Saved& saved) const {
  if (unbias_.empty()) return;
  if (unbias_on_device_.size() == 0)
    unbias_on_device_ = kernels::to_device(model_.device(), unbias_);
  const ParameterSet& parameters = model_.parameters();
  kernels::update_running_statistics(
      model_.device(), {saved.at(mean_), saved.at(var_), unbias_on_device_},
      {parameters.values(Role::running_mean).slice(first_, unbias_.size()),
       parameters.values(Role::running_var).slice(first_, unbias_.size())},
      kMomentum);
  model_.parameters().touch();
}

}  // namespace opencd::nn
