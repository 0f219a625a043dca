#include "opencd/methods/rank_stats.hpp"

#include "error.hpp"
#include "kernels/consistency.hpp"
#include "kernels/elementwise.hpp"
#include "kernels/rank_pairs.hpp"
#include "kernels/softmax.hpp"
#include "kernels/top_k.hpp"
#include "nn/gemm.hpp"
#include "opencd/methods/published_set.hpp"
#include "opencd/methods/read_state.hpp"
#include "opencd/methods/tuning.hpp"

#include <algorithm>
#include <cmath>

namespace opencd {

RankStatsConfig rank_stats_config(const Json& options, std::size_t known) {
  RankStatsConfig config;
  if (published_set(options, known) == PublishedSet::cifar100) {
    config.consistency = 50.0;
    config.rise_share = 0.75;
  }
  config.tuning_share = tuning_share(options, config.tuning_share);
  config.consistency =
      number_or_published(options, "consistency-weight", config.consistency, kMostConsistency);
  config.rise_share = number_or_published(options, "rise-share", config.rise_share);
  return config;
}

Recipe rank_stats_recipe(const Json& options, std::size_t known) {
  return {.epochs = 300,
          .batch = 128,
          .augment = {"fixmatch-weak", "fixmatch-weak"},
          .crop = 0,
          .tuning_share = rank_stats_config(options, known).tuning_share,
          .optimizer = {.kind = nn::OptimizerKind::sgd, .weight_decay = 1e-4},
          .schedule = {
              .kind = nn::ScheduleKind::multi_step, .learning_rate = 0.1, .milestones = {270}}};
}

RankStats::RankStats(const MethodContext& context, const RankStatsConfig& config)
    : context_(context),
      config_(config),
      known_{{context.model,
              "head1",
              {context.features, tuned_outputs(context, "rankstats")},
              context.batch},
             {},
             {},
             {}},
      all_{{context.model,
            "head2",
            {context.features, static_cast<std::int64_t>(context.classes)},
            context.batch},
           {},
           {},
           {}},
      outputs_(context.classes, context.known),
      tuning_(tuning_epochs(config.tuning_share, context.epochs)) {}

void RankStats::allocate() {
  kernels::Device& device = context_.model.device();
  const auto b = static_cast<std::size_t>(context_.batch);
  for (Head* head : {&known_, &all_}) {
    const std::size_t size = b * static_cast<std::size_t>(head->linear.config().out_features);
    for (std::size_t v = 0; v < 2; ++v) {
      head->logits[v] = kernels::Buffer<float>(device, size);
      head->p[v] = kernels::Buffer<float>(device, size);
      head->diff[v] = kernels::Buffer<float>(device, size);
    }
  }
  const auto compared = static_cast<std::size_t>(std::min(config_.compared, context_.features));
  tops_ = kernels::Buffer<std::int32_t>(device, b * compared);
  products_ = kernels::Buffer<float>(device, b * b);
  diff_features_ = kernels::Buffer<float>(device, b * static_cast<std::size_t>(context_.features));
  parts_ = kernels::to_device(device, std::vector<Parts>(1));
  ce_record_ = kernels::Buffer<kernels::CrossEntropyRecord>(device, 1);
  scratch_.emplace(device, std::max({kernels::cross_entropy_scratch_bytes(b),
                                     kernels::rank_pairs_scratch_bytes(b),
                                     kernels::mean_squared_difference_scratch_bytes(b)}));
  readback_.emplace(device);
  ce_readback_.emplace(device);
}

double RankStats::consistency_weight(std::uint32_t epoch) const {
  const double joint = static_cast<double>(context_.epochs - tuning_);
  const double length = std::max(1.0, config_.rise_share * joint);
  const double part = std::min(1.0, static_cast<double>(epoch - tuning_) / length);
  return config_.consistency * std::exp(-5.0 * (1.0 - part) * (1.0 - part));
}

std::vector<nn::ParameterRange> RankStats::trained(std::uint32_t epoch,
                                                   const nn::ParameterRange& own) const {
  if (is_tuning(epoch)) return {known_.linear.range()};
  return {own};
}

void RankStats::begin_epoch(std::uint32_t /*epoch*/, TrainingFeatures& features) {
  finish(features);
}

void RankStats::finish(TrainingFeatures& features) {
  outputs_.match(features, [this](Rows<const float> block) {
    const std::vector<float> logits = logits_of(block);
    return largest_of_rows(logits, context_.classes);
  });
}

void RankStats::forward(const MethodStep& step, Head& head) {
  kernels::Device& device = context_.model.device();
  for (std::size_t v = 0; v < 2; ++v) {
    head.linear.forward(step.features[v], context_.batch_rows(head.logits[v]));
    kernels::softmax_rows(device, context_.batch_rows(head.logits[v]),
                          context_.batch_rows(head.p[v]));
    kernels::fill(device, head.diff[v], 0.0f);
  }
}

/// The loss of pairs, and its gradient to the probabilities of head 2.
void RankStats::compare_pairs(const MethodStep& step) {
  const nn::Engine& engine = context_.model.engine();
  kernels::Device& device = engine.device();
  const auto b = static_cast<std::size_t>(context_.batch);
  const Rows<std::int32_t> tops = tops_.rows(b, tops_.size() / b);
  const Rows<float> products = context_.batch_rows(products_);
  kernels::top_k_rows(device, step.features[0], tops);
  nn::gemm(engine, context_.batch_rows(all_.p[0]), context_.batch_rows(all_.p[1]), products,
           {.transpose_right = true});
  kernels::rank_pairs(device, *scratch_, products, tops, step.labels, products,
                      {&parts_.data()->pairs, 1});
  nn::gemm(engine, products, context_.batch_rows(all_.p[1]), context_.batch_rows(all_.diff[0]));
  nn::gemm(engine, products, context_.batch_rows(all_.p[0]), context_.batch_rows(all_.diff[1]),
           {.transpose_left = true});
}

/// The losses of views that should agree, and the gradients of both heads, to the logits.
void RankStats::compare_views() {
  kernels::Device& device = context_.model.device();
  float* part = parts_.data()->consistency.data();
  for (Head* head : {&known_, &all_}) {
    kernels::mean_squared_difference(
        device, *scratch_, context_.batch_rows(head->p[0]), context_.batch_rows(head->p[1]),
        context_.batch_rows(head->diff[0]), context_.batch_rows(head->diff[1]), {part++, 1},
        static_cast<float>(weight_));
    for (std::size_t v = 0; v < 2; ++v)
      kernels::softmax_rows_backward(device, context_.batch_rows(head->p[v]),
                                     context_.batch_rows(head->diff[v]),
                                     context_.batch_rows(head->diff[v]));
  }
}

void RankStats::step(const MethodStep& step) {
  kernels::Device& device = context_.model.device();
  const bool joint = !is_tuning(step.epoch);
  weight_ = joint ? consistency_weight(step.epoch) : 0.0;
  forward(step, known_);
  if (joint) {
    forward(step, all_);
    compare_pairs(step);
    compare_views();
  }
  kernels::cross_entropy(device, *scratch_, context_.batch_rows(known_.logits[0]), step.labels,
                         context_.batch_rows(known_.diff[0]), ce_record_);
  readback_->start(parts_);
  ce_readback_->start(ce_record_);
  backward(step);
}

void RankStats::backward(const MethodStep& step) {
  kernels::Device& device = context_.model.device();
  for (std::size_t v = 0; v < 2; ++v) {
    known_.linear.backward(step.features[v], context_.batch_rows(known_.diff[v]),
                           step.diff_features[v]);
    if (is_tuning(step.epoch)) continue;
    all_.linear.backward(step.features[v], context_.batch_rows(all_.diff[v]),
                         context_.batch_rows(diff_features_));
    kernels::add(device, step.diff_features[v].flat(), diff_features_,
                 step.diff_features[v].flat());
  }
}

std::vector<std::pair<std::string, double>> RankStats::losses() {
  const Parts parts = readback_->finish();
  const double ce = ce_readback_->finish().loss;
  const double pairs = parts.pairs;
  const double consistency = static_cast<double>(parts.consistency[0]) + parts.consistency[1];
  return {{"loss", ce + pairs + weight_ * consistency},
          {"ce", ce},
          {"pairs", pairs},
          {"consistency", consistency}};
}

std::vector<std::string> RankStats::metric_names() const {
  return {"loss", "ce", "pairs", "consistency"};
}

std::vector<float> RankStats::logits_of(Rows<const float> features) const {
  kernels::Device& device = context_.model.device();
  const kernels::Buffer<float> logits(device, features.rows * context_.classes);
  all_.linear.infer(features, logits.rows(features.rows, context_.classes));
  return kernels::to_host(device, logits);
}

std::vector<Prediction> RankStats::predict(Rows<const float> features) {
  return predict_rows_from_logits(logits_of(features), outputs_.grouping());
}

GroupCount RankStats::groups() const {
  return {context_.classes, context_.classes, context_.classes};
}

Json RankStats::state() const {
  Json state = Json::object();
  outputs_.add_to(state);
  return state;
}

void RankStats::restore(const Json& state) {
  read_state("rankstats", [&] { outputs_.restore(state); });
}

}  // namespace opencd
