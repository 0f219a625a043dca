#include "opencd/methods/orca.hpp"

#include "error.hpp"
#include "kernels/positive_pairs.hpp"
#include "kernels/softmax.hpp"
#include "nn/gemm.hpp"
#include "opencd/methods/read_state.hpp"
#include "opencd/row_choice.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace opencd {

namespace {

nn::CosineLinearConfig classifier_config(const MethodContext& context) {
  return {context.features, static_cast<std::int64_t>(context.classes)};
}

}  // namespace

OrcaConfig orca_config(const Json& options) {
  OrcaConfig config;
  config.measured_rows = options.value("grouping-rows", config.measured_rows);
  if (config.measured_rows < 0)
    fail<UsageError>("[orca] expected --grouping-rows of 0 or more, got {}", config.measured_rows);
  return config;
}

Recipe orca_recipe(const Json& /*options*/) {
  return {
      .epochs = 200,
      .batch = 512,
      .augment = {"orca", "orca"},
      .crop = 0,
      .optimizer = {.kind = nn::OptimizerKind::sgd, .weight_decay = 5e-4},
      .schedule = {
          .kind = nn::ScheduleKind::multi_step, .learning_rate = 0.1, .milestones = {140, 180}}};
}

Orca::Orca(const MethodContext& context, const OrcaConfig& config)
    : context_(context),
      config_(config),
      classifier_(context.model, "classifier", classifier_config(context), context.batch) {}

void Orca::allocate() {
  kernels::Device& device = context_.model.device();
  const auto b = static_cast<std::size_t>(context_.batch);
  classifier_.allocate();
  for (std::size_t v = 0; v < 2; ++v) {
    p_[v] = kernels::Buffer<float>(device, b * classes());
    diff_[v] = kernels::Buffer<float>(device, b * classes());
  }
  similarities_ = kernels::Buffer<float>(device, b * b);
  partners_ = kernels::Buffer<std::int32_t>(device, b);
  // The entropy of the mean is the divergence from the uniform prior, up to a constant.
  prior_ = kernels::to_device(device,
                              std::vector<float>(classes(), 1.0f / static_cast<float>(classes())));
  std::vector<std::int32_t> own_group(classes());
  std::iota(own_group.begin(), own_group.end(), 0);
  single_classes_.emplace(device, own_group, classes());
  pair_record_ = kernels::Buffer<kernels::PrototypeLossRecord>(device, 1);
  ce_record_ = kernels::Buffer<kernels::CrossEntropyRecord>(device, 1);
  scratch_.emplace(device, std::max(kernels::prototype_loss_scratch_bytes(b, classes(), classes()),
                                    kernels::cross_entropy_scratch_bytes(b)));
  pair_readback_.emplace(device);
  ce_readback_.emplace(device);
}

void Orca::begin_epoch(std::uint32_t /*epoch*/, TrainingFeatures& features) {
  std::vector<std::uint32_t> rows = rows_labelled(features.labels(), false);
  if (rows.empty()) return;
  std::vector<std::uint32_t> chosen =
      evenly_spread(rows.size(), static_cast<std::size_t>(config_.measured_rows));
  for (std::uint32_t& row : chosen) row = rows[row];
  double sum = 0.0;
  features.read(chosen, false, [&](std::size_t /*first*/, Rows<const float> block) {
    for (const Prediction& prediction : predict(block)) sum += prediction.confidence;
  });
  uncertainty_ = 1.0 - sum / static_cast<double>(chosen.size());
}

void Orca::step(const MethodStep& step) {
  const nn::Engine& engine = context_.model.engine();
  kernels::Device& device = engine.device();
  const auto scale = static_cast<float>(config_.scale);
  classifier_.forward(step.features);
  nn::gemm(engine, classifier_.unit(0), classifier_.unit(0), context_.batch_rows(similarities_),
           {.transpose_right = true});
  kernels::positive_pairs(device, context_.batch_rows(similarities_), step.labels, partners_,
                          {context_.seed, step.step});
  for (std::size_t v = 0; v < 2; ++v)
    kernels::softmax_rows(device, classifier_.cosines(v), context_.batch_rows(p_[v]), 1.0f / scale);
  kernels::prototype_losses(
      device, *scratch_, *single_classes_,
      {context_.batch_rows(p_[0]), context_.batch_rows(p_[1]), partners_, step.labels, prior_},
      context_.batch_rows(diff_[0]), context_.batch_rows(diff_[1]), pair_record_,
      {.weights = {.proto = 1.0f, .group = 0.0f, .reg = 1.0f, .ce = 0.0f},
       .temperature = 1.0f / scale});
  kernels::cross_entropy(
      device, *scratch_, classifier_.cosines(0), step.labels, context_.batch_rows(diff_[0]),
      ce_record_,
      {.scale = scale, .margin = static_cast<float>(std::min(uncertainty_, config_.most_margin))});
  pair_readback_->start(pair_record_);
  ce_readback_->start(ce_record_);
  classifier_.backward({context_.batch_rows(diff_[0]), context_.batch_rows(diff_[1])},
                       step.diff_features);
}

std::vector<std::pair<std::string, double>> Orca::losses() {
  const kernels::PrototypeLossRecord pair = pair_readback_->finish();
  const kernels::CrossEntropyRecord ce = ce_readback_->finish();
  const double entropy = std::log(static_cast<double>(classes())) - pair.reg;
  return {{"loss", pair.proto + ce.loss - entropy},
          {"pairwise", pair.proto},
          {"ce", ce.loss},
          {"entropy", entropy}};
}

std::vector<std::string> Orca::metric_names() const {
  return {"loss", "pairwise", "ce", "entropy", "uncertainty"};
}

std::vector<std::pair<std::string, double>> Orca::figures() const {
  return {{"uncertainty", uncertainty_}};
}

std::vector<Prediction> Orca::predict(Rows<const float> features) {
  kernels::Device& device = context_.model.device();
  const kernels::Buffer<float> unit(device, features.size());
  const kernels::Buffer<float> cosines(device, features.rows * classes());
  classifier_.infer(features, unit.rows(features.rows, features.columns),
                    cosines.rows(features.rows, classes()));
  const std::vector<float> host = kernels::to_host(device, cosines);
  const Grouping grouping = single_groups(classes());
  std::vector<Prediction> result(features.rows);
  for (std::size_t row = 0; row < features.rows; ++row)
    result[row] = predict_from_cosines(std::span(host).subspan(row * classes(), classes()),
                                       grouping, 1.0 / config_.scale);
  return result;
}

GroupCount Orca::groups() const { return {classes(), classes(), classes()}; }

Json Orca::state() const { return {{"uncertainty", uncertainty_}, {"groups", classes()}}; }

void Orca::restore(const Json& state) {
  read_state("orca", [&] { uncertainty_ = read_number(state.at("uncertainty")); });
}

}  // namespace opencd
