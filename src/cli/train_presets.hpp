// The presets of `train` and `compare`: many options by one name. Later ones of a list win, so that a
// method's settings and a budget combine: `--preset paper,small`.
//
//   plus                the default: opencd+, what is ours (docs/METHOD.md), trained as long as OpenNCD
//   code                OpenNCD as its authors' program runs it; what they set per data set follows from the
//                       number of known classes (opencd/methods/open_ncd_defaults.hpp)
//   code-cifar10, code-cifar100   the same with the authors' values for that set
//   paper               OpenNCD as the paper tells it
//   paper-cifar10, paper-cifar100, paper-imagenet100   the same with the paper's K, and ImageNet's pictures
//   small               no method, a budget: what two CPU cores finish in minutes
#pragma once

#include "cli/settings.hpp"

#include <vector>

namespace opencd::cli {

inline constexpr const char* kStandardPreset = "plus";

std::vector<Preset> train_presets();

}  // namespace opencd::cli
