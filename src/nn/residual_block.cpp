#include "nn/residual_block.hpp"

#include "kernels/elementwise.hpp"

namespace opencd::nn {

namespace {

/// The convolutions of the main path, in order.
std::vector<Conv2dConfig> main_convolutions(const ResidualBlockConfig& config) {
  const std::int64_t c = config.channels;
  if (config.kind == BlockKind::basic)
    return {{.in_channels = config.in_channels, .out_channels = c, .stride = config.stride},
            {.in_channels = c, .out_channels = c}};
  return {{.in_channels = config.in_channels, .out_channels = c, .kernel = 1},
          {.in_channels = c, .out_channels = c, .stride = config.stride},
          {.in_channels = c, .out_channels = config.out_channels(), .kernel = 1}};
}

}  // namespace

ResidualBlock::ResidualBlock(Model& model,
                             PassLayout& pass,
                             const std::string& name,
                             const ResidualBlockConfig& config,
                             const Desc& src,
                             Use use,
                             bool keep_dst)
    : model_(model), config_(config), use_(use), keeps_dst_(is_trained(use) || keep_dst) {
  const std::vector<Conv2dConfig> convolutions = main_convolutions(config);
  for (std::size_t i = 0; i < convolutions.size(); ++i) {
    const bool last = i + 1 == convolutions.size();
    const Use unit_use = i > 0 && use == Use::train_first ? Use::train : use;
    main_.emplace_back(model, pass,
                       ConvNormConfig{.conv_name = fmt::format("{}.conv{}", name, i + 1),
                                      .norm_name = fmt::format("{}.bn{}", name, i + 1),
                                      .conv = convolutions[i],
                                      .relu = !last},
                       i == 0 ? src : main_.back().dst_desc(), unit_use);
    if (is_trained(use) && !last) inner_.push_back(pass.saved.reserve(main_.back().dst_desc()));
  }
  if (keeps_dst_) dst_ = pass.saved.reserve(dst_desc());
  if (config.has_identity()) return;
  Conv2dConfig across{.in_channels = config.in_channels,
                      .out_channels = config.out_channels(),
                      .kernel = 1,
                      .stride = config.stride};
  if (config.shortcut == ShortcutKind::projection) {
    projection_.emplace(model, pass,
                        ConvNormConfig{.conv_name = name + ".downsample.0",
                                       .norm_name = name + ".downsample.1",
                                       .conv = across,
                                       .relu = false},
                        src, use);
  } else {
    across.constant = true;
    option_a_.emplace(model, name + ".shortcut", across, src, use);
  }
}

View<float> ResidualBlock::forward(View<const float> src,
                                   const Saved& saved,
                                   TemporaryPool& pool) const {
  return is_trained(use_) ? forward_trained(src, saved, pool) : forward_frozen(src, saved, pool);
}

View<float> ResidualBlock::forward_trained(View<const float> src,
                                           const Saved& saved,
                                           TemporaryPool& pool) const {
  const View<float> dst = saved.at(dst_);
  View<const float> x = src;
  for (std::size_t i = 0; i < main_.size(); ++i) {
    const View<float> y = i < inner_.size() ? saved.at(inner_[i]) : dst;
    main_[i].forward(x, y, saved);
    x = y;
  }
  if (config_.has_identity()) {
    kernels::add_relu(model_.device(), dst, src, dst);
    return dst;
  }
  const View<float> shortcut = pool.take(dst_desc());
  if (projection_)
    projection_->forward(src, shortcut, saved);
  else
    option_a_->forward(src, shortcut);
  kernels::add_relu(model_.device(), dst, shortcut, dst);
  pool.give(shortcut);
  return dst;
}

View<float> ResidualBlock::forward_frozen(View<const float> src,
                                          const Saved& saved,
                                          TemporaryPool& pool) const {
  View<const float> x = src;
  View<float> y;
  for (const ConvNorm& unit : main_) {
    const View<float> before = y;
    y = pool.take(unit.dst_desc());
    unit.forward_frozen(x, y, saved);
    if (before.data != nullptr) pool.give(before);
    x = y;
  }
  View<const float> shortcut = src;
  View<float> across;
  if (!config_.has_identity()) {
    across = pool.take(dst_desc());
    if (projection_)
      projection_->forward_frozen(src, across, saved);
    else
      option_a_->forward(src, across);
    shortcut = across;
  }
  const View<float> dst = keeps_dst_ ? saved.at(dst_) : y;
  kernels::add_relu(model_.device(), y, shortcut, dst);
  if (across.data != nullptr) pool.give(across);
  if (keeps_dst_) pool.give(y);
  return dst;
}

SplitGradient ResidualBlock::backward(View<const float> src,
                                      SplitGradient diff_dst,
                                      const Saved& saved,
                                      TemporaryPool& pool) const {
  // The gradient of the sum below the ReLU, written over the main part.
  const View<float> diff_sum = diff_dst.main;
  if (diff_dst.shortcut.data != nullptr) {
    kernels::add_relu_backward(model_.device(), dst(saved), diff_dst.main, diff_dst.shortcut,
                               diff_sum);
    pool.give(diff_dst.shortcut);
  } else {
    kernels::relu_backward(model_.device(), dst(saved), diff_dst.main, diff_sum);
  }
  const View<float> main = backward_main(src, diff_sum, saved, pool);
  return {main, backward_shortcut(src, diff_sum, saved, pool)};
}

View<float> ResidualBlock::backward_main(View<const float> src,
                                         View<const float> diff_sum,
                                         const Saved& saved,
                                         TemporaryPool& pool) const {
  View<const float> diff_dst = diff_sum;
  View<float> diff_conv = pool.take(dst_desc());
  for (std::size_t i = main_.size(); i-- > 0;) {
    const bool needs_diff_src = i > 0 || use_ == Use::train;
    const View<float> diff_src = needs_diff_src ? pool.take(main_[i].src_desc()) : View<float>{};
    const View<const float> x = i > 0 ? saved.at(inner_[i - 1]) : src;
    main_[i].backward(x, diff_dst, diff_conv, diff_src, saved);
    pool.give(diff_conv);
    diff_dst = diff_src;
    diff_conv = diff_src;  // from here on batch norm works in place
  }
  return diff_conv;
}

View<float> ResidualBlock::backward_shortcut(View<const float> src,
                                             View<float> diff_sum,
                                             const Saved& saved,
                                             TemporaryPool& pool) const {
  const bool needs_diff_src = use_ == Use::train;
  if (config_.has_identity() && needs_diff_src) return diff_sum;
  const View<float> diff_src = needs_diff_src ? pool.take(main_.front().src_desc()) : View<float>{};
  if (projection_)
    projection_->backward(src, diff_sum, diff_src, saved);
  else if (option_a_)
    option_a_->backward(src, diff_sum, diff_src);
  pool.give(diff_sum);
  return diff_src;
}

}  // namespace opencd::nn
