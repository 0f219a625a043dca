#include "nn/gelu_head.hpp"

#include "kernels/elementwise.hpp"

namespace opencd::nn {

GeluHead::GeluHead(Model& model, const GeluHeadConfig& config, std::int64_t rows)
    : model_(model),
      config_(config),
      first_parameter_(model.parameters().size(Role::trained)),
      first_(model, config.name + ".0", {config.in_features, config.hidden}, rows, Use::train),
      second_(model, config.name + ".2", {config.hidden, config.hidden}, rows, Use::train),
      third_(model, config.name + ".4", {config.hidden, config.out_features}, rows, Use::train),
      parameter_count_(model.parameters().size(Role::trained) - first_parameter_) {
  const auto floats = static_cast<std::size_t>(rows * config.hidden);
  for (Slot* slot : {&linear1_, &hidden1_, &linear2_, &hidden2_})
    *slot = layout_.reserve_floats(floats);
  model.reserve_temporaries(TemporaryPool::bytes(1, floats));
}

Rows<float> GeluHead::hidden_rows(View<float> view) const {
  const auto columns = static_cast<std::size_t>(config_.hidden);
  return {view.data, view.size / columns, columns};
}

void GeluHead::forward(Rows<const float> src, Rows<float> dst, const Saved& saved) {
  Device& device = model_.device();
  first_.forward(src, hidden_rows(saved.at(linear1_)));
  kernels::gelu(device, saved.at(linear1_), saved.at(hidden1_));
  second_.forward(hidden_rows(saved.at(hidden1_)), hidden_rows(saved.at(linear2_)));
  kernels::gelu(device, saved.at(linear2_), saved.at(hidden2_));
  third_.forward(hidden_rows(saved.at(hidden2_)), dst);
}

void GeluHead::backward(Rows<const float> src,
                        Rows<const float> diff_dst,
                        Rows<float> diff_src,
                        const Saved& saved) {
  Device& device = model_.device();
  const Scratch::Frame frame(model_.scratch());
  const View<float> diff = model_.scratch().take<float>(saved.at(hidden1_).size);
  third_.backward(hidden_rows(saved.at(hidden2_)), diff_dst, hidden_rows(diff));
  kernels::gelu_backward(device, saved.at(linear2_), diff, diff);
  // What the second layer sends down takes the place of what it was computed from.
  const View<float> lower = saved.at(linear2_);
  second_.backward(hidden_rows(saved.at(hidden1_)), hidden_rows(diff), hidden_rows(lower));
  kernels::gelu_backward(device, saved.at(linear1_), lower, lower);
  first_.backward(src, hidden_rows(lower), diff_src);
  model_.parameters().accumulate(first_parameter_, parameter_count_);
}

}  // namespace opencd::nn
