#include "nn/resnet_config.hpp"

#include <array>

namespace opencd::nn {

namespace {

struct Known {
  std::string_view name;
  BlockKind block;
  std::array<std::int64_t, 4> blocks;
};
constexpr Known kKnown[] = {
    {"resnet18", BlockKind::basic, {2, 2, 2, 2}},
    {"resnet34", BlockKind::basic, {3, 4, 6, 3}},
    {"resnet50", BlockKind::bottleneck, {3, 4, 6, 3}},
};

/// He et al., section 4.2: 6 n + 2 layers in three stages of n basic blocks.
struct KnownCifar {
  std::string_view name;
  std::int64_t blocks;
};
constexpr KnownCifar kKnownCifar[] = {
    {"resnet20", 3}, {"resnet32", 5}, {"resnet44", 7}, {"resnet56", 9}, {"resnet110", 18}};

}  // namespace

std::int64_t ResNetConfig::feature_count() const {
  const std::int64_t expansion = block == BlockKind::bottleneck ? 4 : 1;
  return expansion * width * (std::int64_t{1} << (blocks.size() - 1));
}

ResNetConfig resnet_config(std::string_view name, Stem stem) {
  for (const Known& known : kKnown)
    if (known.name == name)
      return {
          .block = known.block, .blocks = {known.blocks.begin(), known.blocks.end()}, .stem = stem};
  for (const KnownCifar& known : kKnownCifar)
    if (known.name == name)
      return {.blocks = {known.blocks, known.blocks, known.blocks},
              .shortcut = ShortcutKind::option_a,
              .width = 16,
              .classifier_name = "linear"};
  fail<UsageError>(
      "[resnet] expected resnet18, resnet34, resnet50, resnet20, resnet32, resnet44, resnet56 or "
      "resnet110, got {}",
      name);
}

}  // namespace opencd::nn
