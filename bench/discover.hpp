// `bench discover`: a regrouping of 50,000 rows, all but the feature pass, and its parts.
#pragma once

#include "bench/measure.hpp"
#include "nn/engine.hpp"

namespace opencd::bench {

/// The sizes of CIFAR-10 (50 prototypes, 10 classes) and CIFAR-100 (500, 100): affinity of
/// prototypes, spectral grouping, Louvain, the number of classes, a whole regrouping; and k-means of
/// 50,000 x 512 features. bench/peers holds the authors' way to compare with.
std::vector<Result> run_discover_suite(const nn::Engine& engine, const MeasureOptions& options);

}  // namespace opencd::bench
