// `bench train`: a training step, inference, and every convolution of the network by itself.
#pragma once

#include "bench/measure.hpp"
#include "bench/train_step.hpp"

namespace opencd::bench {

/// Which of the three to time.
struct TrainParts {
  bool step = true;
  bool inference = true;
  bool convolutions = false;
};

/// The roof of the convolutions is the fastest of the large matrix products, measured in the same
/// run.
std::vector<Result> run_train_suite(const nn::Engine& engine,
                                    const TrainOptions& train,
                                    const TrainParts& parts,
                                    const MeasureOptions& options);

}  // namespace opencd::bench
