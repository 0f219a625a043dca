// `bench data`: how fast pictures become what the network reads.
#pragma once

#include "bench/measure.hpp"

#include <filesystem>

namespace opencd::bench {

/// One case for every augmentation preset.
std::vector<Case> augment_cases(kernels::Device& device);

struct DecodeOptions {
  std::filesystem::path pictures;  // a folder as `data info` takes it; empty: nothing is decoded
  std::size_t size = 224;          // pixels a side
};

/// All pictures of a folder, decoded and thrown away.
Case decode_case(const DecodeOptions& options);

/// Views per second of the augmentation presets on CIFAR-size pictures or, if there are pictures,
/// how many of them are decoded a second. bench/peers holds what to compare with: torchvision and
/// Pillow.
std::vector<Result> run_data_suite(kernels::Device& device,
                                   const DecodeOptions& decode,
                                   const MeasureOptions& options);

}  // namespace opencd::bench
