#include "opencd/methods/simclr.hpp"

#include "error.hpp"
#include "kernels/normalize.hpp"
#include "nn/gemm.hpp"

namespace opencd {

namespace {

nn::ProjectionHeadConfig head_config(const MethodContext& context, const SimClrConfig& config) {
  return {.name = "simclr_head",
          .in_features = context.features,
          .hidden = context.features,
          .out_features = config.dimensions,
          .batch_norm = false};
}

}  // namespace

SimClrConfig simclr_config(const Json& options) {
  SimClrConfig config;
  config.temperature = options.value("temperature", config.temperature);
  config.dimensions = options.value("dimensions", config.dimensions);
  if (!(config.temperature >= 0.01))
    fail<UsageError>("[simclr] expected a temperature of 0.01 or more, got {}", config.temperature);
  return config;
}

SimClr::SimClr(const MethodContext& context, const SimClrConfig& config)
    : context_(context),
      config_(config),
      head_(context.model, head_config(context, config), context.batch) {
  if (context.batch < 2)
    fail<UsageError>(
        "[simclr] expected a batch of 2 or more, got {}: a picture needs another one "
        "to differ from",
        context.batch);
}

void SimClr::allocate() {
  kernels::Device& device = context_.model.device();
  const auto rows = static_cast<std::size_t>(2 * context_.batch);
  const auto d = static_cast<std::size_t>(config_.dimensions);
  for (auto& saved : saved_) saved.emplace(head_.make_saved());
  z_ = kernels::Buffer<float>(device, rows * d);
  unit_ = kernels::Buffer<float>(device, rows * d);
  norms_ = kernels::Buffer<float>(device, rows);
  cosines_ = kernels::Buffer<float>(device, rows * rows);
  diff_unit_ = kernels::Buffer<float>(device, rows * d);
  record_ = kernels::Buffer<kernels::ContrastiveRecord>(device, 1);
  scratch_.emplace(device, kernels::contrastive_scratch_bytes(rows));
  readback_.emplace(device);
}

Rows<float> SimClr::of_view(const kernels::Buffer<float>& both, std::size_t v) const {
  const auto rows = static_cast<std::size_t>(context_.batch);
  const std::size_t columns = both.size() / (2 * rows);
  return {both.data() + v * rows * columns, rows, columns};
}

void SimClr::step(const MethodStep& step) {
  const nn::Engine& engine = context_.model.engine();
  kernels::Device& device = engine.device();
  const auto rows = static_cast<std::size_t>(2 * context_.batch);
  const auto d = static_cast<std::size_t>(config_.dimensions);
  const Rows<float> z = z_.rows(rows, d);
  const Rows<float> unit = unit_.rows(rows, d);
  const Rows<float> cosines = cosines_.rows(rows, rows);
  const Rows<float> diff = diff_unit_.rows(rows, d);

  for (std::size_t v = 0; v < 2; ++v) head_.forward(step.features[v], of_view(z_, v), *saved_[v]);
  kernels::normalize_rows(device, z, unit, norms_);
  nn::gemm(engine, unit, unit, cosines, {.transpose_right = true});
  kernels::nt_xent(device, *scratch_, cosines, cosines, record_,
                   {.temperature = static_cast<float>(config_.temperature)});
  readback_->start(record_);
  nn::gemm(engine, cosines, unit, diff);
  nn::gemm(engine, cosines, unit, diff, {.transpose_left = true, .beta = 1.0f});
  kernels::normalize_rows_backward(device, unit, norms_, diff, diff);
  for (std::size_t v = 0; v < 2; ++v)
    head_.backward(step.features[v], of_view(diff_unit_, v), step.diff_features[v], *saved_[v]);
}

std::vector<std::pair<std::string, double>> SimClr::losses() {
  return {{"loss", readback_->finish().loss}};
}

std::vector<Prediction> SimClr::predict(Rows<const float> features) {
  return std::vector<Prediction>(features.rows, {.confidence = 1.0f});
}

}  // namespace opencd
