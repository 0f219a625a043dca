// Every distinct convolution of a network: forward, backward by data and by weights.
#pragma once

#include "bench/measure.hpp"
#include "bench/train_step.hpp"

namespace opencd::bench {

/// Inputs lie in the layout that the network would hand over.
std::vector<Case> conv_cases(const nn::Engine& engine, const TrainOptions& train);

}  // namespace opencd::bench
