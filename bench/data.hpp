// `bench data`: how fast pictures become what the network reads.
#pragma once

#include "bench/measure.hpp"

namespace opencd::bench {

/// One case for every augmentation preset.
std::vector<Case> augment_cases(kernels::Device& device);

/// Views per second of the augmentation presets on CIFAR-size pictures; bench/peers holds the
/// torchvision pipeline to compare `opencd` with.
std::vector<Result> run_data_suite(kernels::Device& device, const MeasureOptions& options);

}  // namespace opencd::bench
