#include "nn/resnet.hpp"

#include "kernels/check.hpp"
#include "kernels/elementwise.hpp"
#include "nn/reorder.hpp"

#include <algorithm>

namespace opencd::nn {

namespace {

constexpr std::size_t kTemporaries = 3;  // the two parts of a gradient and the one being computed

Conv2dConfig stem_convolution(const ResNetConfig& config) {
  const bool cifar = config.stem == Stem::cifar;
  return {.in_channels = config.in_channels,
          .out_channels = config.width,
          .kernel = cifar ? 3 : 7,
          .stride = cifar ? 1 : 2};
}

}  // namespace

ResNet::ResNet(Model& model, const ResNetConfig& config, const Shape& images)
    : model_(model),
      config_(config),
      images_(images),
      stage_parameters_{model.parameters().size(Role::trained)},
      pass_(model) {
  if (config.stem == Stem::imagenet)
    max_pool_config_ = {.kind = PoolKind::maximum, .kernel = 3, .stride = 2, .padding = 1};
  const Desc plain = plain_desc(images.dims());
  const Use use = use_of_stage(0);
  stem_.emplace(
      model, pass_,
      ConvNormConfig{.conv_name = "conv1", .norm_name = "bn1", .conv = stem_convolution(config)},
      plain, use);
  Desc x;
  if (use != Use::inference_only) {
    if (stem_->src_desc() != plain) stem_src_ = pass_.saved.reserve(stem_->src_desc());
    x = stem_->dst_desc();
    temporary_floats_ = floats_of(x);
    if (is_trained(use)) stem_dst_ = pass_.saved.reserve(x);
    if (max_pool_config_) {
      max_pool_.emplace(model, *max_pool_config_, x, use);
      pool_workspace_ = pass_.saved.reserve(max_pool_->workspace_desc());
      x = max_pool_->dst_desc();
      if (is_trained(use)) first_input_ = pass_.saved.reserve(x);
    } else {
      first_input_ = stem_dst_;
    }
  }
  for (std::size_t stage = 1; stage <= config.blocks.size(); ++stage) {
    stage_parameters_.push_back(model.parameters().size(Role::trained));
    build_stage(stage, x);
  }
  stage_parameters_.push_back(model.parameters().size(Role::trained));  // the classifier's
  build_tail(x);
  pass_.statistics.reserve(pass_.saved);
  parameters_end_ = model.parameters().size(Role::trained);
  model.reserve_temporaries(TemporaryPool::bytes(kTemporaries, temporary_floats_));
}

Use ResNet::use_of_stage(std::size_t stage) const {
  if (config_.inference_only) return Use::inference_only;
  const auto frozen = static_cast<std::size_t>(config_.freeze);
  if (std::max(stage, std::size_t{1}) <= frozen)
    return config_.frozen_norm == FrozenNorm::fixed ? Use::inference_only : Use::forward_only;
  return stage == 0 ? Use::train_first : Use::train;
}

ParameterRange ResNet::trained_from(std::size_t stage) const {
  const std::size_t first = stage_parameters_[std::min(stage, stage_parameters_.size() - 1)];
  return {first, parameters_end_ - first};
}

void ResNet::build_stage(std::size_t stage, Desc& x) {
  const Use use = use_of_stage(stage);
  const auto frozen = static_cast<std::size_t>(config_.freeze);
  ResidualBlockConfig block{.kind = config_.block, .shortcut = config_.shortcut};
  block.channels = config_.width << (stage - 1);
  for (std::int64_t i = 0; i < config_.blocks[stage - 1]; ++i) {
    block.in_channels = blocks_.empty() ? config_.width : blocks_.back().config().out_channels();
    block.stride = i == 0 && stage > 1 ? 2 : 1;
    const bool last_frozen = stage == frozen && i + 1 == config_.blocks[stage - 1];
    const bool first_trained = stage == frozen + 1 && i == 0 && frozen > 0;
    blocks_.emplace_back(model_, pass_, fmt::format("layer{}.{}", stage, i), block, x,
                         use == Use::train && first_trained ? Use::train_first : use,
                         use == Use::forward_only && last_frozen);
    if (!is_trained(use)) ++frozen_blocks_;
    if (use == Use::inference_only) continue;
    x = blocks_.back().dst_desc();
    for (const ConvNorm& unit : blocks_.back().main())
      temporary_floats_ = std::max(temporary_floats_, floats_of(unit.dst_desc()));
  }
  if (use == Use::inference_only && stage == frozen) {
    fixed_stages_.emplace(model_, *stem_, max_pool_config_, blocks_);
    x = fixed_stages_->prepare(images_);
    first_input_ = pass_.saved.reserve(x);
  }
}

void ResNet::build_tail(const Desc& x) {
  const bool trained = !config_.inference_only;
  if (trained)
    pool_.emplace(model_, x, frozen_blocks_ == blocks_.size() ? Use::forward_only : Use::train);
  if (config_.classes == 0) return;
  classifier_.emplace(model_, config_.classifier_name,
                      LinearConfig{config_.feature_count(), config_.classes}, images_.n,
                      trained ? Use::train : Use::inference_only);
  if (trained) features_ = pass_.saved.reserve(plain_desc({images_.n, config_.feature_count()}));
}

void ResNet::forward(View<const float> images, Rows<float> dst, const Saved& saved) {
  kernels::require_equal("resnet", "floats in images", static_cast<std::size_t>(images_.size()),
                         images.size);
  if (config_.inference_only)
    fail<ShapeError>("[resnet] expected a network built for training, this one only infers");
  if (fixed_stages_) {
    fixed_stages_->fold(model_.parameters().frozen_version());
    fixed_stages_->run_stages(images_, images, saved.at(first_input_));
  }
  const Scratch::Frame frame(model_.scratch());
  TemporaryPool pool(model_.scratch(), kTemporaries, temporary_floats_);
  const View<float> x = forward_stages(images, saved, pool);
  if (classifier_) {
    const Rows<float> features{saved.at(features_).data, static_cast<std::size_t>(images_.n),
                               static_cast<std::size_t>(config_.feature_count())};
    pool_->forward(x, features);
    classifier_->forward(features, dst);
  } else {
    pool_->forward(x, dst);
  }
  pass_.statistics.update(saved);
}

View<float> ResNet::forward_stages(View<const float> images,
                                   const Saved& saved,
                                   TemporaryPool& pool) const {
  const std::size_t first = fixed_stages_ ? frozen_blocks_ : 0;
  View<float> x = fixed_stages_ ? saved.at(first_input_) : forward_stem(images, saved, pool);
  bool kept = fixed_stages_.has_value() || is_trained(use_of_stage(0));
  for (std::size_t i = first; i < blocks_.size(); ++i) {
    const View<float> y = blocks_[i].forward(x, saved, pool);
    if (!kept) pool.give(x);
    kept = blocks_[i].keeps_dst();
    x = y;
  }
  return x;
}

View<const float> ResNet::stem_input(View<const float> images, const Saved& saved) const {
  return stem_src_.floats != 0 ? saved.at(stem_src_) : images;
}

View<float> ResNet::forward_stem(View<const float> images,
                                 const Saved& saved,
                                 TemporaryPool& pool) const {
  if (stem_src_.floats != 0)
    reorder(model_.engine(), plain_desc(images_.dims()), images, stem_->src_desc(),
            saved.at(stem_src_));
  const bool trained = is_trained(use_of_stage(0));
  const View<float> dst = trained ? saved.at(stem_dst_) : pool.take(stem_->dst_desc());
  if (trained)
    stem_->forward(stem_input(images, saved), dst, saved);
  else
    stem_->forward_frozen(stem_input(images, saved), dst, saved);
  if (!max_pool_) return dst;
  const View<float> pooled = trained ? saved.at(first_input_) : pool.take(max_pool_->dst_desc());
  max_pool_->forward(dst, pooled, saved.at(pool_workspace_));
  if (!trained) pool.give(dst);
  return pooled;
}

View<const float> ResNet::input_of_block(std::size_t index, const Saved& saved) const {
  const bool first = index == 0 || (fixed_stages_ && index == frozen_blocks_);
  return first ? saved.at(first_input_) : blocks_[index - 1].dst(saved);
}

std::size_t ResNet::first_block(std::size_t stage) const {
  std::size_t block = 0;
  for (std::size_t before = 1; before < std::min(stage, config_.blocks.size() + 1); ++before)
    block += static_cast<std::size_t>(config_.blocks[before - 1]);
  return block;
}

void ResNet::backward(View<const float> images,
                      Rows<const float> diff_dst,
                      const Saved& saved,
                      std::size_t first_stage) {
  const Scratch::Frame frame(model_.scratch());
  TemporaryPool pool(model_.scratch(), kTemporaries, temporary_floats_);
  Rows<const float> diff_features = diff_dst;
  View<float> diff_classifier;
  if (classifier_) {
    diff_classifier = pool.take(plain_desc({images_.n, config_.feature_count()}));
    const auto as_rows = [&](View<float> view) {
      return Rows<float>{view.data, diff_dst.rows, view.size / diff_dst.rows};
    };
    classifier_->backward(as_rows(saved.at(features_)), diff_dst, as_rows(diff_classifier));
    diff_features = as_rows(diff_classifier);
  }
  const std::size_t first = std::max(frozen_blocks_, first_block(first_stage));
  if (first < blocks_.size()) {
    SplitGradient gradient{pool.take(blocks_.back().dst_desc()), {}};
    pool_->backward(diff_features, gradient.main);
    if (classifier_) pool.give(diff_classifier);
    for (std::size_t i = blocks_.size(); i-- > first;)
      gradient = blocks_[i].backward(input_of_block(i, saved), gradient, saved, pool);
    if (first_stage == 0 && is_trained(use_of_stage(0)))
      backward_stem(images, gradient, saved, pool);
  }
  const ParameterRange range = trained_from(first_stage);
  model_.parameters().accumulate(range.first, range.count);
}

void ResNet::backward_stem(View<const float> images,
                           SplitGradient diff_dst,
                           const Saved& saved,
                           TemporaryPool& pool) const {
  kernels::add(model_.device(), diff_dst.main, diff_dst.shortcut, diff_dst.main);
  pool.give(diff_dst.shortcut);
  View<float> diff = diff_dst.main;
  if (max_pool_) {
    const View<float> unpooled = pool.take(stem_->dst_desc());
    max_pool_->backward(diff, unpooled, saved.at(pool_workspace_));
    pool.give(diff);
    diff = unpooled;
  }
  stem_->backward(stem_input(images, saved), diff, {}, saved);
  pool.give(diff);
}

void ResNet::infer(const Shape& images, View<const float> src, Rows<float> dst) const {
  kernels::require_equal("resnet", "floats in images", static_cast<std::size_t>(images.size()),
                         src.size);
  if (!inference_) inference_.emplace(model_, *stem_, max_pool_config_, blocks_);
  inference_->prepare(images);
  inference_->fold(model_.parameters().version());
  if (!classifier_) return inference_->run_pooled(images, src, dst);
  const Desc features = plain_desc({images.n, config_.feature_count()});
  model_.reserve_temporaries(TemporaryPool::bytes(1, floats_of(features)) +
                             inference_->temporary_bytes());
  const Scratch::Frame frame(model_.scratch());
  const Rows<float> pooled = model_.scratch().take_rows<float>(
      static_cast<std::size_t>(images.n), static_cast<std::size_t>(config_.feature_count()));
  inference_->run_pooled(images, src, pooled);
  classifier_->infer(pooled, dst);
}

}  // namespace opencd::nn
