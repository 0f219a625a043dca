// `bench ops`: every kernel family and GEMM, as a share of what the device can do at best.
#pragma once

#include "bench/measure.hpp"
#include "nn/engine.hpp"

namespace opencd::bench {

/// The roofs are measured in the same run: copying within device memory for GB/s, the fastest of the
/// large matrix products for GFLOP/s.
std::vector<Result> run_ops_suite(const nn::Engine& engine, const MeasureOptions& options);

}  // namespace opencd::bench
