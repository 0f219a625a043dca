#include "nn/linear.hpp"

#include "kernels/check.hpp"

namespace opencd::nn {

namespace {

void require_rows(const char* what,
                  std::int64_t rows,
                  std::int64_t columns,
                  Rows<const float> got) {
  kernels::require_same_shape(
      what,
      Rows<const float>{nullptr, static_cast<std::size_t>(rows), static_cast<std::size_t>(columns)},
      got);
}

}  // namespace

Linear::Linear(
    Model& model, const std::string& name, const LinearConfig& config, std::int64_t rows, Use use)
    : model_(model), config_(config), rows_(rows) {
  weight_ = &model.parameters().add({.name = name + ".weight",
                                     .desc = plain_desc({config.out_features, config.in_features}),
                                     .role = parameter_role(use),
                                     .init = config.init});
  bias_ = &model.parameters().add({.name = name + ".bias",
                                   .desc = plain_desc({config.out_features}),
                                   .role = parameter_role(use),
                                   .init = Init::zeros,
                                   .decay = false});
  if (!is_trained(use)) return;
  const ForwardDesc forward = forward_desc(dnnl::prop_kind::forward_training, rows);
  forward_ = model.operation<dnnl::inner_product_forward>("linear forward", forward);
  const dnnl::engine& engine = model.engine().dnnl();
  const Desc src = rows_desc(rows, config.in_features);
  const Desc dst = rows_desc(rows, config.out_features);
  backward_weights_ = model.operation<dnnl::inner_product_backward_weights>(
      "linear backward weights",
      {engine, src, weight_->desc, bias_->desc, dst, forward, model.attributes()});
  if (use == Use::train)
    backward_data_ = model.operation<dnnl::inner_product_backward_data>(
        "linear backward data", {engine, src, weight_->desc, dst, forward, model.attributes()});
}

Desc Linear::rows_desc(std::int64_t rows, std::int64_t features) const {
  return plain_desc({rows, features});
}

Linear::ForwardDesc Linear::forward_desc(dnnl::prop_kind kind, std::int64_t rows) const {
  return {model_.engine().dnnl(),
          kind,
          rows_desc(rows, config_.in_features),
          weight_->desc,
          bias_->desc,
          rows_desc(rows, config_.out_features),
          kind == dnnl::prop_kind::forward_training ? model_.attributes() : dnnl::primitive_attr()};
}

Arguments Linear::forward_arguments(Rows<const float> src, Rows<float> dst) const {
  const auto rows = static_cast<std::int64_t>(src.rows);
  return {{DNNL_ARG_SRC, model_.wrap(rows_desc(rows, config_.in_features), src.data)},
          {DNNL_ARG_WEIGHTS, model_.wrap(weight_->desc, weight_->value.data)},
          {DNNL_ARG_BIAS, model_.wrap(bias_->desc, bias_->value.data)},
          {DNNL_ARG_DST, model_.wrap(rows_desc(rows, config_.out_features), dst.data)}};
}

void Linear::forward(Rows<const float> src, Rows<float> dst) const {
  require_rows("linear", rows_, config_.in_features, src);
  require_rows("linear", rows_, config_.out_features, dst);
  model_.execute(forward_, forward_arguments(src, dst));
}

void Linear::infer(Rows<const float> src, Rows<float> dst) const {
  const auto rows = static_cast<std::int64_t>(src.rows);
  require_rows("linear", rows, config_.in_features, src);
  require_rows("linear", rows, config_.out_features, dst);
  // Of any batch size, so made here; oneDNN's cache makes that cheap.
  const dnnl::inner_product_forward primitive(
      forward_desc(dnnl::prop_kind::forward_inference, rows));
  model_.engine().execute("linear", primitive, forward_arguments(src, dst));
}

void Linear::backward(Rows<const float> src,
                      Rows<const float> diff_dst,
                      Rows<float> diff_src) const {
  require_rows("linear", rows_, config_.in_features, src);
  require_rows("linear", rows_, config_.out_features, diff_dst);
  const Desc src_desc = rows_desc(rows_, config_.in_features);
  const Desc dst_desc = rows_desc(rows_, config_.out_features);
  model_.execute(backward_weights_,
                 {{DNNL_ARG_SRC, model_.wrap(src_desc, src.data)},
                  {DNNL_ARG_DIFF_DST, model_.wrap(dst_desc, diff_dst.data)},
                  {DNNL_ARG_DIFF_WEIGHTS, model_.wrap(weight_->desc, weight_->diff.data)},
                  {DNNL_ARG_DIFF_BIAS, model_.wrap(bias_->desc, bias_->diff.data)}});
  if (!backward_data_.primitive) return;
  require_rows("linear", rows_, config_.in_features, diff_src);
  model_.execute(backward_data_,
                 {{DNNL_ARG_DIFF_DST, model_.wrap(dst_desc, diff_dst.data)},
                  {DNNL_ARG_WEIGHTS, model_.wrap(weight_->desc, weight_->value.data)},
                  {DNNL_ARG_DIFF_SRC, model_.wrap(src_desc, diff_src.data)}});
}

}  // namespace opencd::nn
