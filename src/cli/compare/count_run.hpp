// A counter on the features of the backbone, as a run of a comparison.
#pragma once

#include "cli/compare/plan.hpp"

namespace opencd::cli {

/// The features of one data set by one backbone, read when they are first asked for.
class BackboneFeatures {
 public:
  BackboneFeatures(const nn::Engine& engine,
                   const data::ImageSet& set,
                   const data::OpenWorldSplit& split,
                   const TrainOptions& options);

  /// Throws Interrupted after a signal.
  const std::vector<float>& values();
  std::size_t columns() const { return columns_; }

 private:
  const nn::Engine& engine_;
  const data::ImageSet& set_;
  const data::OpenWorldSplit& split_;
  TrainOptions options_;
  std::vector<float> values_;
  std::size_t columns_ = 0;
};

/// What may not change when the comparison goes on.
Json count_settings(const PlannedRun& run,
                    const CounterArguments& arguments,
                    const data::ImageSet& set,
                    const data::OpenWorldSplit& split);

/// Writes the same eval folder as a training run. 130 or 143 after a signal, which leaves nothing.
TrainedRun count_run(const PlannedRun& run,
                     const CounterArguments& arguments,
                     BackboneFeatures& features,
                     const data::ImageSet& set,
                     const data::OpenWorldSplit& split,
                     const nn::Engine& engine);

}  // namespace opencd::cli
