// A residual block: y = ReLU(main(x) + shortcut(x)).
//   basic       main = 3x3, 3x3
//   bottleneck  main = 1x1, 3x3, 1x1 with four times the channels at the end
// The shortcut is the identity where shapes agree. Elsewhere it is a projection (1x1 convolution
// and batch norm), or "option A" of the CIFAR networks: every second pixel, missing channels zero,
// half of them before and half after. Option A runs as a 1x1 convolution with constant zeros and
// ones: exact, differentiable and at home in every layout.
#pragma once

#include "nn/conv_norm.hpp"

#include <optional>

namespace opencd::nn {

enum class BlockKind { basic, bottleneck };
enum class ShortcutKind { projection, option_a };

struct ResidualBlockConfig {
  std::int64_t in_channels = 0;
  std::int64_t channels = 0;  // of the 3x3 convolution
  std::int64_t stride = 1;
  BlockKind kind = BlockKind::basic;
  ShortcutKind shortcut = ShortcutKind::projection;

  std::int64_t out_channels() const {
    return kind == BlockKind::bottleneck ? 4 * channels : channels;
  }
  bool has_identity() const { return stride == 1 && in_channels == out_channels(); }
};

/// A gradient that comes as the sum of two parts; the second may be empty.
struct SplitGradient {
  View<float> main;
  View<float> shortcut;
};

class ResidualBlock {
 public:
  /// `keep_dst`: a frozen block whose output the first trained block needs.
  ResidualBlock(Model& model,
                PassLayout& pass,
                const std::string& name,
                const ResidualBlockConfig& config,
                const Desc& src,
                Use use,
                bool keep_dst = false);

  const ResidualBlockConfig& config() const { return config_; }
  const Desc& dst_desc() const { return main_.back().dst_desc(); }
  const std::vector<ConvNorm>& main() const { return main_; }
  const ConvNorm* projection() const { return projection_ ? &*projection_ : nullptr; }
  const Conv2d* option_a() const { return option_a_ ? &*option_a_ : nullptr; }
  bool keeps_dst() const { return keeps_dst_; }

  /// The output lies in `saved` if the block keeps it, else in a temporary of the pool.
  View<float> forward(View<const float> src, const Saved& saved, TemporaryPool& pool) const;
  /// The output of the pass that left `saved`.
  View<float> dst(const Saved& saved) const { return saved.at(dst_); }
  /// Takes back the temporaries of diff_dst and returns diff_src in others; nothing when the block
  /// is the first one trained.
  SplitGradient backward(View<const float> src,
                         SplitGradient diff_dst,
                         const Saved& saved,
                         TemporaryPool& pool) const;

 private:
  View<float> forward_trained(View<const float> src, const Saved& saved, TemporaryPool& pool) const;
  View<float> forward_frozen(View<const float> src, const Saved& saved, TemporaryPool& pool) const;
  View<float> backward_main(View<const float> src,
                            View<const float> diff_sum,
                            const Saved& saved,
                            TemporaryPool& pool) const;
  View<float> backward_shortcut(View<const float> src,
                                View<float> diff_sum,
                                const Saved& saved,
                                TemporaryPool& pool) const;

  Model& model_;
  ResidualBlockConfig config_;
  Use use_;
  bool keeps_dst_;
  std::vector<ConvNorm> main_;
  std::optional<ConvNorm> projection_;
  std::optional<Conv2d> option_a_;
  std::vector<Slot> inner_;  // outputs of all units of main but the last
  Slot dst_;
};

}  // namespace opencd::nn
