#include "bench/train_step.hpp"

#include "bench/reference.hpp"
#include "kernels/normalize.hpp"
#include "kernels/softmax.hpp"
#include "nn/gemm.hpp"

#include <algorithm>
#include <cmath>

namespace opencd::bench {

namespace {

constexpr std::int64_t kFeatures = 32;
constexpr float kTau = 0.1f;
constexpr double kLearningRate = 2e-3;
constexpr std::uint32_t kSeed = 2023;

nn::ResNetConfig encoder_config(const TrainOptions& options) {
  nn::ResNetConfig config = nn::resnet_config(options.arch);
  config.width = options.width;
  config.freeze = options.freeze;
  config.frozen_norm = options.frozen_norm;
  return config;
}

nn::ProjectionHeadConfig head_config(const nn::ResNetConfig& encoder) {
  return {.in_features = encoder.feature_count(),
          .hidden = encoder.feature_count(),
          .out_features = kFeatures};
}

}  // namespace

TrainStep::TrainStep(const nn::Engine& engine, const TrainOptions& options)
    : options_(options),
      model_(engine, {.deterministic = options.deterministic}),
      encoder_(model_, encoder_config(options), {options.batch, 3, options.crop, options.crop}),
      head_(model_, head_config(encoder_.config()), options.batch),
      prototypes_(model_.parameters().add({.name = "prototypes",
                                           .desc = nn::plain_desc({options.prototypes, kFeatures}),
                                           .init = nn::Init::standard_normal})),
      plan_(plan_memory(model_, {}, {{encoder_.saved_layout(), 2}, {head_.saved_layout(), 2}})) {
  model_.allocate();
  initialise(model_.parameters(), kSeed);
  optimizer_.emplace(model_, nn::OptimizerConfig{});
  kernels::Device& device = engine.device();
  const auto batch = static_cast<std::size_t>(options.batch);
  const auto k = static_cast<std::size_t>(options.prototypes);
  const auto features = static_cast<std::size_t>(encoder_.config().feature_count());
  const auto make = [&](std::size_t count) { return kernels::Buffer<float>(device, count); };
  for (std::uint32_t view = 0; view < 2; ++view) {
    ViewRows& v = views_.emplace_back();
    const auto pixels = static_cast<std::size_t>(encoder_.images().size());
    v.images = kernels::to_device(device, random_values(pixels, view + 1));
    v.features = make(batch * features);
    v.diff_features = make(batch * features);
    v.z = make(batch * kFeatures);
    v.z_unit = make(batch * kFeatures);
    v.z_norms = make(batch);
    v.p = make(batch * k);
    v.encoder.emplace(encoder_.make_saved());
    v.head.emplace(head_.make_saved());
  }
  units_ = make(k * kFeatures);
  unit_norms_ = make(k);
  diff_units_ = make(k * kFeatures);
  diff_cosines_ = make(batch * k);
  diff_z_ = make(batch * kFeatures);
}

nn::Rows<float> TrainStep::rows(const kernels::Buffer<float>& buffer) const {
  const auto batch = static_cast<std::size_t>(options_.batch);
  return buffer.rows(batch, buffer.size() / batch);
}

void TrainStep::forward(ViewRows& view) {
  kernels::Device& device = model_.device();
  const auto k = static_cast<std::size_t>(options_.prototypes);
  encoder_.forward(view.images, rows(view.features), *view.encoder);
  head_.forward(rows(view.features), rows(view.z), *view.head);
  kernels::normalize_rows(device, rows(view.z), rows(view.z_unit), view.z_norms);
  nn::gemm(model_.engine(), rows(view.z_unit), units_.rows(k, kFeatures), rows(view.p),
           {.transpose_right = true});
  kernels::softmax_rows(device, rows(view.p), rows(view.p), kTau);
}

void TrainStep::backward(ViewRows& view, float beta) {
  kernels::Device& device = model_.device();
  const auto k = static_cast<std::size_t>(options_.prototypes);
  const float mean = 1.0f / static_cast<float>(options_.batch);
  kernels::softmax_rows_backward(device, rows(view.p), rows(view.p), rows(diff_cosines_), kTau);
  nn::gemm(model_.engine(), rows(diff_cosines_), units_.rows(k, kFeatures), rows(diff_z_),
           {.alpha = mean});
  nn::gemm(model_.engine(), rows(diff_cosines_), rows(view.z_unit), diff_units_.rows(k, kFeatures),
           {.transpose_left = true, .alpha = mean, .beta = beta});
  kernels::normalize_rows_backward(device, rows(view.z_unit), view.z_norms, rows(diff_z_),
                                   rows(diff_z_));
  head_.backward(rows(view.features), rows(diff_z_), rows(view.diff_features), *view.head);
  encoder_.backward(view.images, rows(view.diff_features), *view.encoder);
}

void TrainStep::run() {
  kernels::Device& device = model_.device();
  const auto k = static_cast<std::size_t>(options_.prototypes);
  const nn::Rows<float> prototypes{prototypes_.value.data, k, kFeatures};
  const nn::Rows<float> units = units_.rows(k, kFeatures);
  kernels::normalize_rows(device, prototypes, units, unit_norms_);
  for (ViewRows& view : views_) forward(view);
  for (ViewRows& view : views_) backward(view, &view == &views_.front() ? 0.0f : 1.0f);
  kernels::normalize_rows_backward(device, units, unit_norms_, diff_units_.rows(k, kFeatures),
                                   {prototypes_.diff.data, k, kFeatures});
  model_.parameters().accumulate(prototypes_.offset, prototypes_.value.size);
  optimizer_->step(kLearningRate);
}

void TrainStep::infer() {
  encoder_.infer(encoder_.images(), views_.front().images, rows(views_.front().features));
}

bool TrainStep::features_finite() const {
  const auto features = kernels::to_host(model_.device(), views_.front().features);
  return std::all_of(features.begin(), features.end(), [](float f) { return std::isfinite(f); });
}

double TrainStep::loss() const {
  double squares = 0.0;
  for (const ViewRows& view : views_)
    for (const float p : kernels::to_host(model_.device(), view.p))
      squares += static_cast<double>(p) * p;
  return 0.5 * squares / static_cast<double>(options_.batch);
}

}  // namespace opencd::bench
