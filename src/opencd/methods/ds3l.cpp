#include "opencd/methods/ds3l.hpp"

#include "error.hpp"
#include "kernels/elementwise.hpp"
#include "kernels/softmax.hpp"
#include "nn/gemm.hpp"
#include "opencd/methods/read_state.hpp"

#include <algorithm>
#include <cmath>

namespace opencd {

namespace {

constexpr double kLabelledHalf = 0.5;  // of a batch; the authors' CE is a mean over all its rows
constexpr std::int64_t kHidden = 100;  // of WNet

}  // namespace

Ds3lConfig ds3l_config(const Json& options) {
  Ds3lConfig config;
  config.novel_share = options.value("novel-share", config.novel_share);
  return config;
}

Recipe ds3l_recipe(const Json& /*options*/) {
  return {.epochs = 200,
          .batch = 100,
          .augment = {"fixmatch-weak", "fixmatch-weak"},
          .crop = 0,
          .sampling = {.kind = data::Sampling::fixed_share, .labeled_share = kLabelledHalf},
          .optimizer = {.kind = nn::OptimizerKind::adam},
          .schedule = {.kind = nn::ScheduleKind::constant, .learning_rate = 3e-4}};
}

Ds3l::Ds3l(const MethodContext& context, const Ds3lConfig& config)
    : context_(context),
      config_(config),
      classifier_(
          context.model, "classifier", {context.features, known_outputs(context)}, context.batch),
      weight_net_(context.model,
                  {.name = "weights",
                   .in_features = known_outputs(context),
                   .hidden = kHidden,
                   .out_features = 1,
                   .batch_norm = false},
                  context.batch),
      novel_(context, "ds3l", config.novel_share) {}

void Ds3l::allocate() {
  kernels::Device& device = context_.model.device();
  const auto b = static_cast<std::size_t>(context_.batch);
  const std::size_t c = context_.known;
  const auto floats = [&](std::size_t count) { return kernels::Buffer<float>(device, count); };
  for (std::size_t v = 0; v < 2; ++v) {
    logits_[v] = floats(b * c);
    p_[v] = floats(b * c);
    diff_[v] = floats(b * c);
  }
  for (kernels::Buffer<float>* buffer :
       {&slope_, &diff_p_, &virtual_logits_, &virtual_diff_, &outer_rows_})
    *buffer = floats(b * c);
  for (kernels::Buffer<float>* buffer : {&virtual_weight_, &outer_weight_})
    *buffer = floats(c * static_cast<std::size_t>(context_.features));
  for (kernels::Buffer<float>* buffer : {&virtual_bias_, &outer_bias_}) *buffer = floats(c);
  weight_logits_ = floats(b);
  diff_weight_logits_ = floats(b);
  ones_ = kernels::to_device(device, std::vector<float>(b, 1.0f));
  saved_.emplace(weight_net_.make_saved());
  ce_record_ = kernels::Buffer<kernels::CrossEntropyRecord>(device, 1);
  outer_record_ = kernels::Buffer<kernels::CrossEntropyRecord>(device, 1);
  record_ = kernels::Buffer<kernels::SafeWeightsRecord>(device, 1);
  scratch_.emplace(device, std::max(kernels::cross_entropy_scratch_bytes(b),
                                    kernels::safe_weights_scratch_bytes(b)));
  ce_readback_.emplace(device);
  readback_.emplace(device);
}

Rows<float> Ds3l::weight_rows(float* data) const {
  return {data, context_.known, static_cast<std::size_t>(context_.features)};
}

kernels::SafeBatch Ds3l::safe_batch(const MethodStep& step) const {
  return {context_.batch_rows(p_[0]), context_.batch_rows(p_[1]), weight_logits_, step.labels};
}

void Ds3l::forward(const MethodStep& step) {
  kernels::Device& device = context_.model.device();
  for (std::size_t v = 0; v < 2; ++v) {
    classifier_.forward(step.features[v], context_.batch_rows(logits_[v]));
    kernels::softmax_rows(device, context_.batch_rows(logits_[v]), context_.batch_rows(p_[v]));
  }
  weight_net_.forward(context_.batch_rows(p_[0]), context_.batch_rows(weight_logits_), *saved_);
}

void Ds3l::step(const MethodStep& step) {
  kernels::Device& device = context_.model.device();
  const double missing = 1.0 - std::min(step.progress, 1.0);
  factor_ = config_.consistency * std::exp(-5.0 * missing * missing);
  forward(step);
  kernels::fill(device, diff_[0], 0.0f);
  kernels::cross_entropy(device, *scratch_, context_.batch_rows(logits_[0]), step.labels,
                         context_.batch_rows(diff_[0]), ce_record_,
                         {.weight = static_cast<float>(kLabelledHalf)});
  kernels::safe_consistency(device, *scratch_, safe_batch(step), context_.batch_rows(slope_),
                            context_.batch_rows(diff_[1]), record_, static_cast<float>(factor_));
  ce_readback_->start(ce_record_);
  readback_->start(record_);
  take_virtual_step(step);
  learn_weights(step, config_.virtual_rate * factor_);
  for (std::size_t v = 0; v < 2; ++v)
    classifier_.backward(step.features[v], context_.batch_rows(diff_[v]), step.diff_features[v]);
}

void Ds3l::take_virtual_step(const MethodStep& step) {
  const nn::Engine& engine = context_.model.engine();
  kernels::Device& device = engine.device();
  const nn::ParameterSet& parameters = context_.model.parameters();
  const Rows<float> weight = weight_rows(virtual_weight_.data());
  const Rows<float> bias = virtual_bias_.rows(1, context_.known);
  const Rows<float> ones = ones_.rows(1, ones_.size());
  kernels::copy(device, parameters.find("classifier.weight")->value, virtual_weight_);
  kernels::copy(device, parameters.find("classifier.bias")->value, virtual_bias_);
  const auto down = -static_cast<float>(config_.virtual_rate);
  for (std::size_t v = 0; v < 2; ++v) {
    nn::gemm(engine, context_.batch_rows(diff_[v]), step.features[v], weight,
             {.transpose_left = true, .alpha = down, .beta = 1.0f});
    nn::gemm(engine, ones, context_.batch_rows(diff_[v]), bias, {.alpha = down, .beta = 1.0f});
  }
  nn::gemm(engine, ones_.rows(ones_.size(), 1), bias, context_.batch_rows(virtual_logits_));
  nn::gemm(engine, step.features[0], weight, context_.batch_rows(virtual_logits_),
           {.transpose_right = true, .beta = 1.0f});
  kernels::fill(device, virtual_diff_, 0.0f);
  kernels::cross_entropy(device, *scratch_, context_.batch_rows(virtual_logits_), step.labels,
                         context_.batch_rows(virtual_diff_), outer_record_);
  nn::gemm(engine, context_.batch_rows(virtual_diff_), step.features[0],
           weight_rows(outer_weight_.data()), {.transpose_left = true});
  nn::gemm(engine, ones, context_.batch_rows(virtual_diff_), outer_bias_.rows(1, context_.known));
}

void Ds3l::learn_weights(const MethodStep& step, double factor) {
  const nn::Engine& engine = context_.model.engine();
  nn::gemm(engine, step.features[1], weight_rows(outer_weight_.data()),
           context_.batch_rows(outer_rows_), {.transpose_right = true});
  kernels::safe_weight_gradient(engine.device(), *scratch_, safe_batch(step),
                                context_.batch_rows(slope_), context_.batch_rows(outer_rows_),
                                outer_bias_, record_, diff_weight_logits_,
                                static_cast<float>(factor));
  weight_net_.backward(context_.batch_rows(p_[0]), context_.batch_rows(diff_weight_logits_),
                       context_.batch_rows(diff_p_), *saved_);
}

void Ds3l::finish(TrainingFeatures& features) {
  novel_.find(features, [this](Rows<const float> block) { return classify(block); });
}

std::vector<std::pair<std::string, double>> Ds3l::losses() {
  const double ce = ce_readback_->finish().loss;
  const kernels::SafeWeightsRecord record = readback_->finish();
  return {{"loss", kLabelledHalf * ce + factor_ * record.consistency},
          {"ce", ce},
          {"consistency", record.consistency},
          {"mean_weight", record.mean_weight}};
}

std::vector<std::string> Ds3l::metric_names() const {
  return {"loss", "ce", "consistency", "mean_weight"};
}

ClassifiedRows Ds3l::classify(Rows<const float> features) const {
  kernels::Device& device = context_.model.device();
  const std::size_t c = context_.known;
  const kernels::Buffer<float> logits(device, features.rows * c);
  const kernels::Buffer<float> weight_logits(device, features.rows);
  const Rows<float> rows = logits.rows(features.rows, c);
  classifier_.infer(features, rows);
  std::vector<Prediction> predictions =
      predict_rows_from_logits(kernels::to_host(device, logits), single_groups(c));
  kernels::softmax_rows(device, rows, rows);
  weight_net_.infer(rows, weight_logits.rows(features.rows, 1));
  return {std::move(predictions), kernels::to_host(device, weight_logits)};
}

void Ds3l::restore(const Json& state) {
  read_state("ds3l", [&] { novel_.restore(state); });
}

}  // namespace opencd
