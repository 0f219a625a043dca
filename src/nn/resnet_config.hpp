// Residual networks as data: what distinguishes ResNet-18, -34, -50 and the CIFAR networks.
#pragma once

#include "nn/residual_block.hpp"

#include <string_view>

namespace opencd::nn {

/// cifar: 3x3, stride 1; imagenet: 7x7, stride 2, then 3x3 max-pool, stride 2.
enum class Stem { cifar, imagenet };
/// The last stage that is not trained; the stem goes with stage 1.
enum class FreezePoint { none, stage1, stage2, stage3, stage4 };
/// Batch norm in frozen stages: `batch` normalises with the statistics of the batch and moves the
/// running ones, as the authors' code does; `fixed` uses the running ones, folded into the
/// convolutions.
enum class FrozenNorm { batch, fixed };

struct ResNetConfig {
  BlockKind block = BlockKind::basic;
  std::vector<std::int64_t> blocks = {2, 2, 2, 2};  // by stage
  Stem stem = Stem::cifar;
  ShortcutKind shortcut = ShortcutKind::projection;
  std::int64_t in_channels = 3;
  std::int64_t width = 64;   // channels of stage 1; every stage doubles them
  std::int64_t classes = 0;  // 0: the output is the features, else the logits of a classifier
  std::string classifier_name = "fc";
  FreezePoint freeze = FreezePoint::none;
  FrozenNorm frozen_norm = FrozenNorm::batch;
  bool inference_only = false;  // nothing is trained: no gradients, no memory for them

  std::int64_t feature_count() const;
  std::int64_t output_count() const { return classes != 0 ? classes : feature_count(); }
};

/// "resnet18", "resnet34", "resnet50" with the stem given; "resnet20", "resnet32", "resnet44",
/// "resnet56", "resnet110" as the CIFAR networks with option-A shortcuts and their own stem.
/// Throws UsageError for other names.
ResNetConfig resnet_config(std::string_view name, Stem stem = Stem::cifar);

}  // namespace opencd::nn
