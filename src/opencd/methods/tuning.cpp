#include "opencd/methods/tuning.hpp"

#include "error.hpp"
#include "kernels/elementwise.hpp"

#include <algorithm>
#include <cmath>

namespace opencd {

double tuning_share(const Json& options, double authors) {
  const double share = options.value("tuning-share", authors);
  if (!(share >= 0.0 && share <= 1.0))
    fail<UsageError>("[method] expected --tuning-share from 0 to 1, got {}", share);
  return share;
}

std::int64_t tuning_epochs(double share, std::int64_t epochs) {
  const std::int64_t wanted = std::lround(share * static_cast<double>(epochs));
  return std::clamp<std::int64_t>(wanted, 0, std::max<std::int64_t>(epochs - 1, 0));
}

std::int64_t tuned_outputs(const MethodContext& context, const char* method) {
  if (context.known == 0)
    fail<UsageError>("[{}] this method learns from labelled classes first: give --known N", method);
  return static_cast<std::int64_t>(context.known);
}

TuningClassifier::TuningClassifier(const MethodContext& context, const char* method)
    : context_(context),
      classifier_(context.model,
                  "classifier",
                  {context.features, tuned_outputs(context, method)},
                  context.batch) {}

void TuningClassifier::allocate() {
  kernels::Device& device = context_.model.device();
  const auto b = static_cast<std::size_t>(context_.batch);
  logits_ = kernels::Buffer<float>(device, b * context_.known);
  diff_ = kernels::Buffer<float>(device, b * context_.known);
  record_ = kernels::Buffer<kernels::CrossEntropyRecord>(device, 1);
  scratch_.emplace(device, kernels::cross_entropy_scratch_bytes(b));
  readback_.emplace(device);
}

void TuningClassifier::step(const MethodStep& step) {
  kernels::Device& device = context_.model.device();
  classifier_.forward(step.features[0], context_.batch_rows(logits_));
  kernels::fill(device, diff_, 0.0f);
  kernels::cross_entropy(device, *scratch_, context_.batch_rows(logits_), step.labels,
                         context_.batch_rows(diff_), record_);
  readback_->start(record_);
  classifier_.backward(step.features[0], context_.batch_rows(diff_), step.diff_features[0]);
  kernels::fill(device, step.diff_features[1].flat(), 0.0f);
}

}  // namespace opencd
