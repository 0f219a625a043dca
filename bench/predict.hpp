// `bench predict`: pictures a second that a trained model labels.
#pragma once

#include "bench/measure.hpp"
#include "nn/engine.hpp"
#include "opencd/saved_model.hpp"

namespace opencd::bench {

struct PredictOptions {
  std::size_t block = 256;  // pictures at a time, as in `predict`
  bool deterministic = false;
};

/// Pictures of noise in the model's size, from memory to groups: upload, normalisation, network,
/// nearest prototype. `bench data --pictures` has the time of reading files.
std::vector<Result> run_predict_suite(const nn::Engine& engine,
                                      const SavedModel& saved,
                                      const PredictOptions& predict,
                                      const MeasureOptions& options);

}  // namespace opencd::bench
