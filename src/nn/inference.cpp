#include "nn/inference.hpp"

#include "nn/reorder.hpp"

#include <algorithm>

namespace opencd::nn {

namespace {

constexpr std::size_t kTemporaries = 3;  // input, shortcut and what lies between two convolutions

}  // namespace

Inference::Inference(Model& model,
                     const ConvNorm& stem,
                     const std::optional<Pool2dConfig>& max_pool,
                     const std::deque<ResidualBlock>& blocks)
    : model_(model), max_pool_(max_pool), stem_(model, stem.conv(), &stem.norm(), {.relu = true}) {
  for (const ResidualBlock& block : blocks) {
    FoldedBlock& folded = blocks_.emplace_back();
    for (std::size_t i = 0; i < block.main().size(); ++i)
      folded.main.emplace_back(model, block.main()[i].conv(), &block.main()[i].norm(),
                               FoldedConvConfig{.relu = true, .add = i + 1 == block.main().size()});
    if (const ConvNorm* projection = block.projection())
      folded.shortcut.emplace(model, projection->conv(), &projection->norm(), FoldedConvConfig{});
    if (const Conv2d* option_a = block.option_a())
      folded.shortcut.emplace(model, *option_a, nullptr, FoldedConvConfig{});
  }
}

Desc Inference::prepare(const Shape& images) {
  const auto found = std::find_if(plans_.begin(), plans_.end(),
                                  [&](const auto& entry) { return entry.first == images; });
  if (found == plans_.end()) plans_.emplace_back(images, std::make_unique<Plan>(make_plan(images)));
  const Plan& chosen = plan(images);
  return chosen.blocks.empty() ? chosen.stem.dst_desc : chosen.blocks.back().main.back().dst_desc;
}

const Inference::Plan& Inference::plan(const Shape& images) const {
  for (const auto& [shape, plan] : plans_)
    if (shape == images) return *plan;
  fail<ShapeError>("[inference] pictures of {} were not prepared", to_string(images));
}

Inference::Plan Inference::make_plan(const Shape& images) {
  Plan plan;
  plan.images = plain_desc(images.dims());
  plan.stem = stem_.prepare(plan.images);
  Desc x = plan.stem.dst_desc;
  plan.floats = std::max(floats_of(x), floats_of(plan.stem.src_desc));
  if (max_pool_) {
    plan.max_pool.emplace(model_, *max_pool_, x, Use::inference_only);
    x = plan.max_pool->dst_desc();
  }
  for (FoldedBlock& block : blocks_) {
    BlockPlan& steps = plan.blocks.emplace_back();
    if (block.shortcut) steps.shortcut = block.shortcut->prepare(x);
    // The last convolution adds to the shortcut in place, so it takes over its layout.
    const Desc sum = steps.shortcut ? steps.shortcut->dst_desc : x;
    for (std::size_t i = 0; i < block.main.size(); ++i) {
      const bool last = i + 1 == block.main.size();
      steps.main.push_back(block.main[i].prepare(x, last ? sum : Desc()));
      x = steps.main.back().dst_desc;
      plan.floats = std::max(plan.floats, floats_of(x));
    }
  }
  plan.pool.emplace(model_, x, Use::inference_only);
  temporary_bytes_ = std::max(temporary_bytes_, TemporaryPool::bytes(kTemporaries, plan.floats));
  model_.reserve_temporaries(temporary_bytes_);
  return plan;
}

void Inference::fold(std::uint64_t version) {
  if (version == folded_version_) return;
  stem_.fold();
  for (FoldedBlock& block : blocks_) {
    if (block.shortcut) block.shortcut->fold();
    for (FoldedConv& conv : block.main) conv.fold();
  }
  folded_version_ = version;
}

void Inference::run_stages(const Shape& images, View<const float> src, View<float> dst) {
  const Plan& chosen = plan(images);
  const Scratch::Frame frame(model_.scratch());
  TemporaryPool pool(model_.scratch(), kTemporaries, chosen.floats);
  const Desc& desc = chosen.blocks.back().main.back().dst_desc;
  reorder(model_.engine(), desc, run(chosen, src, pool), desc, dst);
}

void Inference::run_pooled(const Shape& images, View<const float> src, Rows<float> dst) {
  const Plan& chosen = plan(images);
  const Scratch::Frame frame(model_.scratch());
  TemporaryPool pool(model_.scratch(), kTemporaries, chosen.floats);
  chosen.pool->forward(run(chosen, src, pool), dst);
}

View<float> Inference::run(const Plan& plan, View<const float> src, TemporaryPool& pool) {
  View<float> x = pool.take(plan.stem.dst_desc);
  if (plan.stem.src_desc != plan.images) {
    const View<float> images = pool.take(plan.stem.src_desc);
    reorder(model_.engine(), plan.images, src, plan.stem.src_desc, images);
    stem_.run(plan.stem, images, x);
    pool.give(images);
  } else {
    stem_.run(plan.stem, src, x);
  }
  if (plan.max_pool) {
    const View<float> pooled = pool.take(plan.max_pool->dst_desc());
    plan.max_pool->forward(x, pooled, {});
    pool.give(x);
    x = pooled;
  }
  for (std::size_t i = 0; i < blocks_.size(); ++i)
    x = run_block(blocks_[i], plan.blocks[i], x, pool);
  return x;
}

View<float> Inference::run_block(const FoldedBlock& block,
                                 const BlockPlan& plan,
                                 View<float> src,
                                 TemporaryPool& pool) const {
  View<float> sum = src;
  if (block.shortcut) {
    sum = pool.take(plan.shortcut->dst_desc);
    block.shortcut->run(*plan.shortcut, src, sum);
  }
  View<float> x = src;
  for (std::size_t i = 0; i < block.main.size(); ++i) {
    const bool last = i + 1 == block.main.size();
    const View<float> y = last ? sum : pool.take(plan.main[i].dst_desc);
    block.main[i].run(plan.main[i], x, y);
    // The input is still needed below as the sum, unless a shortcut has taken its place.
    if (x.data != sum.data) pool.give(x);
    x = y;
  }
  return sum;
}

}  // namespace opencd::nn
