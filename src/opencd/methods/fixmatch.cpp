#include "opencd/methods/fixmatch.hpp"

#include "error.hpp"
#include "kernels/elementwise.hpp"
#include "opencd/methods/published_set.hpp"
#include "opencd/methods/read_state.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace opencd {

namespace {

constexpr double kLabelledEighth = 1.0 / 8;  // one labelled row to seven others

/// The log-odds of the largest softmax: the same order as its own, without the many rows that are
/// rounded to 1.
float log_odds(std::span<const float> logits) {
  const auto largest = std::max_element(logits.begin(), logits.end());
  double others = 0.0;
  for (auto at = logits.begin(); at != logits.end(); ++at)
    if (at != largest) others += std::exp(static_cast<double>(*at) - *largest);
  return others > 0.0 ? static_cast<float>(-std::log(others)) : std::numeric_limits<float>::max();
}

}  // namespace

FixMatchConfig fixmatch_config(const Json& options) {
  FixMatchConfig config;
  config.threshold = options.value("pseudo-threshold", config.threshold);
  config.novel_share = options.value("novel-share", config.novel_share);
  if (!(config.threshold >= 0.0 && config.threshold <= 1.0))
    fail<UsageError>("[fixmatch] expected --pseudo-threshold from 0 to 1, got {}",
                     config.threshold);
  return config;
}

Recipe fixmatch_recipe(const Json& options, std::size_t known) {
  const bool few = published_set(options, known) == PublishedSet::cifar10;
  return {.epochs = 200,
          .batch = 512,
          .augment = {"fixmatch-weak", "fixmatch-strong"},
          .crop = 0,
          .sampling = {.kind = data::Sampling::fixed_share, .labeled_share = kLabelledEighth},
          .optimizer = {.kind = nn::OptimizerKind::sgd,
                        .nesterov = true,
                        .weight_decay = few ? 5e-4 : 1e-3,
                        .decay_all = false,
                        .ema_decay = 0.999},
          .schedule = {.kind = nn::ScheduleKind::fading_cosine, .learning_rate = 0.03},
          .smooth_schedule = true};
}

FixMatch::FixMatch(const MethodContext& context, const FixMatchConfig& config)
    : context_(context),
      config_(config),
      classifier_(
          context.model, "classifier", {context.features, known_outputs(context)}, context.batch),
      novel_(context, "fixmatch", config.novel_share) {}

void FixMatch::allocate() {
  kernels::Device& device = context_.model.device();
  const auto b = static_cast<std::size_t>(context_.batch);
  for (std::size_t i = 0; i < 2; ++i) {
    logits_[i] = kernels::Buffer<float>(device, b * context_.known);
    diff_[i] = kernels::Buffer<float>(device, b * context_.known);
    records_[i] = kernels::Buffer<kernels::CrossEntropyRecord>(device, 1);
    readbacks_[i].emplace(device);
  }
  pseudo_ = kernels::Buffer<std::int32_t>(device, b);
  scratch_.emplace(device, kernels::cross_entropy_scratch_bytes(b));
}

void FixMatch::step(const MethodStep& step) {
  kernels::Device& device = context_.model.device();
  for (std::size_t v = 0; v < 2; ++v) {
    classifier_.forward(step.features[v], context_.batch_rows(logits_[v]));
    kernels::fill(device, diff_[v], 0.0f);
  }
  kernels::pseudo_labels(device, context_.batch_rows(logits_[0]), step.labels, pseudo_,
                         static_cast<float>(config_.threshold));
  kernels::cross_entropy(device, *scratch_, context_.batch_rows(logits_[0]), step.labels,
                         context_.batch_rows(diff_[0]), records_[0]);
  kernels::cross_entropy(device, *scratch_, context_.batch_rows(logits_[1]), pseudo_,
                         context_.batch_rows(diff_[1]), records_[1],
                         {.weight = static_cast<float>(config_.unlabelled_weight)});
  for (std::size_t i = 0; i < 2; ++i) readbacks_[i]->start(records_[i]);
  for (std::size_t v = 0; v < 2; ++v)
    classifier_.backward(step.features[v], context_.batch_rows(diff_[v]), step.diff_features[v]);
}

void FixMatch::finish(TrainingFeatures& features) {
  novel_.find(features, [this](Rows<const float> block) { return classify(block); });
}

std::vector<std::pair<std::string, double>> FixMatch::losses() {
  const kernels::CrossEntropyRecord labelled = readbacks_[0]->finish();
  const kernels::CrossEntropyRecord pseudo = readbacks_[1]->finish();
  const double sure = pseudo.rows > 0 ? static_cast<double>(pseudo.targets) / pseudo.rows : 0.0;
  return {{"loss", labelled.loss + config_.unlabelled_weight * pseudo.loss},
          {"ce", labelled.loss},
          {"pseudo_ce", pseudo.loss},
          {"sure", sure}};
}

std::vector<std::string> FixMatch::metric_names() const {
  return {"loss", "ce", "pseudo_ce", "sure"};
}

ClassifiedRows FixMatch::classify(Rows<const float> features) const {
  kernels::Device& device = context_.model.device();
  const std::size_t c = context_.known;
  const kernels::Buffer<float> logits(device, features.rows * c);
  classifier_.infer(features, logits.rows(features.rows, c));
  const std::vector<float> host = kernels::to_host(device, logits);
  ClassifiedRows result{predict_rows_from_logits(host, single_groups(c)), {}};
  for (std::size_t row = 0; row < features.rows; ++row)
    result.scores.push_back(log_odds(std::span(host).subspan(row * c, c)));
  return result;
}

void FixMatch::restore(const Json& state) {
  read_state("fixmatch", [&] { novel_.restore(state); });
}

}  // namespace opencd
