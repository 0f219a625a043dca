#include "nn/cosine_linear.hpp"

#include "kernels/normalize.hpp"
#include "nn/gemm.hpp"

namespace opencd::nn {

CosineLinear::CosineLinear(Model& model,
                           const std::string& name,
                           const CosineLinearConfig& config,
                           std::int64_t rows)
    : model_(model),
      config_(config),
      rows_(rows),
      weight_(model.parameters().add({.name = name + ".weight",
                                      .desc = plain_desc({config.out_features, config.in_features}),
                                      .init = Init::unit_rows})) {}

void CosineLinear::allocate() {
  Device& device = model_.device();
  const auto rows = static_cast<std::size_t>(rows_);
  const auto in = static_cast<std::size_t>(config_.in_features);
  const auto out = static_cast<std::size_t>(config_.out_features);
  unit_weights_ = Buffer<float>(device, out * in);
  weight_norms_ = Buffer<float>(device, out);
  diff_unit_weights_ = Buffer<float>(device, out * in);
  for (ViewRows& view : views_) {
    view.unit = Buffer<float>(device, rows * in);
    view.norms = Buffer<float>(device, rows);
    view.cosines = Buffer<float>(device, rows * out);
  }
}

Rows<float> CosineLinear::weight_rows(float* data) const {
  return {data, static_cast<std::size_t>(config_.out_features),
          static_cast<std::size_t>(config_.in_features)};
}

Rows<float> CosineLinear::cosines(std::size_t view) const {
  return views_[view].cosines.rows(static_cast<std::size_t>(rows_),
                                   static_cast<std::size_t>(config_.out_features));
}

Rows<float> CosineLinear::unit(std::size_t view) const {
  return views_[view].unit.rows(static_cast<std::size_t>(rows_),
                                static_cast<std::size_t>(config_.in_features));
}

void CosineLinear::normalise_weights() {
  kernels::normalize_rows(model_.device(), weight_rows(weight_.value.data),
                          weight_rows(unit_weights_.data()), weight_norms_);
}

void CosineLinear::forward(const std::array<Rows<const float>, 2>& src) {
  normalise_weights();
  for (std::size_t v = 0; v < views_.size(); ++v)
    kernels::normalize_rows(model_.device(), src[v], unit(v), views_[v].norms);
  for (std::size_t v = 0; v < views_.size(); ++v)
    gemm(model_.engine(), unit(v), weight_rows(unit_weights_.data()), cosines(v),
         {.transpose_right = true});
}

void CosineLinear::backward(const std::array<Rows<const float>, 2>& diff_cosines,
                            const std::array<Rows<float>, 2>& diff_src) {
  Device& device = model_.device();
  const Rows<float> units = weight_rows(unit_weights_.data());
  const Rows<float> diff_units = weight_rows(diff_unit_weights_.data());
  for (std::size_t v = 0; v < views_.size(); ++v) {
    gemm(model_.engine(), diff_cosines[v], unit(v), diff_units,
         {.transpose_left = true, .beta = v == 0 ? 0.0f : 1.0f});
    gemm(model_.engine(), diff_cosines[v], units, diff_src[v]);
  }
  for (std::size_t v = 0; v < views_.size(); ++v)
    kernels::normalize_rows_backward(device, unit(v), views_[v].norms, diff_src[v], diff_src[v]);
  kernels::normalize_rows_backward(device, units, weight_norms_, diff_units,
                                   weight_rows(weight_.diff.data));
  model_.parameters().accumulate(weight_.offset, weight_.value.size);
}

void CosineLinear::infer(Rows<const float> src, Rows<float> unit, Rows<float> cosines) {
  const Buffer<float> norms(model_.device(), src.rows);
  normalise_weights();
  kernels::normalize_rows(model_.device(), src, unit, norms);
  gemm(model_.engine(), unit, weight_rows(unit_weights_.data()), cosines,
       {.transpose_right = true});
}

}  // namespace opencd::nn
