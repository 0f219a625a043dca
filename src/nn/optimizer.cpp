#include "nn/optimizer.hpp"

#include "kernels/elementwise.hpp"
#include "kernels/norm.hpp"

#include <algorithm>

namespace opencd::nn {

namespace {

/// 1 where weight decay applies, 0 elsewhere, by block: parameters start at whole blocks.
std::vector<float> decay_factors(const ParameterSet& parameters) {
  constexpr std::size_t kBlock = kernels::kDecayBlock;
  std::vector<float> factors((parameters.size(Role::trained) + kBlock - 1) / kBlock, 0.0f);
  for (const Parameter& parameter : parameters.all()) {
    if (parameter.role != Role::trained || !parameter.decay) continue;
    const auto first = factors.begin() + static_cast<std::ptrdiff_t>(parameter.offset / kBlock);
    std::fill_n(first, (floats_of(parameter.desc) + kBlock - 1) / kBlock, 1.0f);
  }
  return factors;
}

/// Parameters start at whole blocks, and so must ranges, for the factors of weight decay.
void require_ranges(std::span<const ParameterRange> ranges, std::size_t size) {
  std::size_t end = 0;
  for (const ParameterRange& range : ranges) {
    if (range.first < end || range.end() > size || range.first % kernels::kDecayBlock != 0)
      fail<ShapeError>(
          "[optimizer] expected ascending ranges of whole parameters in {} floats, got [{}, {}) "
          "after {}",
          size, range.first, range.end(), end);
    end = range.end();
  }
}

View<float> part(const Buffer<float>& buffer, const ParameterRange& range) {
  return buffer.size() != 0 ? buffer.view().slice(range.first, range.count) : View<float>{};
}

}  // namespace

Optimizer::Optimizer(Model& model, const OptimizerConfig& config)
    : model_(model), config_(config), record_(model.device(), 1) {
  Device& device = model.device();
  const std::size_t count = model.parameters().size(Role::trained);
  first_ = Buffer<float>(device, count);
  if (config.kind == OptimizerKind::adam) second_ = Buffer<float>(device, count);
  if (config.ema_decay != 0.0) {
    ema_ = Buffer<float>(device, count);
    exchanged_ = Buffer<float>(device, count);
  }
  restart();
  if (config.weight_decay != 0.0 && !config.decay_all)
    decay_scale_ = kernels::to_device(device, decay_factors(model.parameters()));
  model.reserve_operation(kernels::norm_scratch_bytes(
      count, std::max<std::size_t>(1, model.parameters().all().size())));
  const ParameterRange all{0, count};
  train(std::span(&all, 1));
}

void Optimizer::train(std::span<const ParameterRange> ranges) {
  require_ranges(ranges, model_.parameters().size(Role::trained));
  trained_.clear();
  for (const ParameterRange& range : ranges) {
    if (range.count == 0) continue;
    if (!trained_.empty() && trained_.back().end() == range.first)
      trained_.back().count += range.count;
    else
      trained_.push_back(range);
  }
  trained_grads_.clear();
  for (const ParameterRange& range : trained_)
    trained_grads_.push_back(model_.parameters().grads().slice(range.first, range.count));
}

kernels::OptimizerViews Optimizer::views_of(const ParameterRange& range) const {
  constexpr std::size_t kBlock = kernels::kDecayBlock;
  const ParameterSet& parameters = model_.parameters();
  kernels::OptimizerViews views{
      .value = parameters.values(Role::trained).slice(range.first, range.count),
      .grad = parameters.grads().slice(range.first, range.count),
      .ema = part(ema_, range),
      .decay_scale = {},
      .record = record_,
      .weight_decay = static_cast<float>(config_.weight_decay),
      .ema_decay = static_cast<float>(config_.ema_decay)};
  if (decay_scale_.size() != 0)
    views.decay_scale =
        decay_scale_.view().slice(range.first / kBlock, (range.count + kBlock - 1) / kBlock);
  return views;
}

void Optimizer::step(double learning_rate) {
  Device& device = model_.device();
  kernels::squared_norm(device, model_.scratch(), trained_grads_, record_);
  ++steps_;
  for (const ParameterRange& range : trained_) {
    const kernels::OptimizerViews views = views_of(range);
    if (config_.kind == OptimizerKind::adam)
      kernels::adam_step(device, views, part(first_, range), part(second_, range),
                         {.learning_rate = learning_rate,
                          .beta1 = config_.beta1,
                          .beta2 = config_.beta2,
                          .epsilon = config_.epsilon},
                         steps_);
    else
      kernels::sgd_step(device, views, part(first_, range),
                        {.learning_rate = learning_rate,
                         .momentum = config_.momentum,
                         .nesterov = config_.nesterov});
  }
  model_.parameters().touch();
}

void Optimizer::restart() {
  steps_ = 0;
  kernels::fill(model_.device(), first_, 0.0f);
  if (second_.size() != 0) kernels::fill(model_.device(), second_, 0.0f);
  restart_averages();
}

void Optimizer::exchange_averages() {
  if (ema_.size() == 0) return;
  Device& device = model_.device();
  const View<float> values = model_.parameters().values(Role::trained);
  kernels::copy(device, values, exchanged_);
  kernels::copy(device, ema_, values);
  kernels::copy(device, exchanged_, ema_);
  model_.parameters().touch();
}

void Optimizer::restart_averages() {
  if (ema_.size() != 0)
    kernels::copy(model_.device(), model_.parameters().values(Role::trained), ema_);
}

kernels::NormRecord Optimizer::record() const {
  return kernels::to_host(model_.device(), record_).front();
}

}  // namespace opencd::nn
