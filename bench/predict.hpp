// `bench predict`: pictures a second that a trained model labels.
#pragma once

#include "bench/measure.hpp"
#include "nn/engine.hpp"
#include "opencd/trained_model.hpp"

namespace opencd::bench {

/// Pictures of noise in the model's size, from memory to groups: upload, normalisation, network,
/// nearest prototype. `bench data --pictures` has the time of reading files.
std::vector<Result> run_predict_suite(const nn::Engine& engine,
                                      const SavedModel& saved,
                                      const TrainedModelOptions& predict,
                                      const MeasureOptions& options);

}  // namespace opencd::bench
