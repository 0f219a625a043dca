// One training run as a function: `train` does one, `compare` many, on the same data and device.
#pragma once

#include "cli/run_folder.hpp"
#include "cli/train_options.hpp"
#include "cli/training_progress.hpp"

#include <filesystem>

namespace opencd::cli {

struct TrainOptions {
  CommonOptions common;
  DataArguments data;
  SplitArguments split;
  LearningArguments learning;
  MethodArguments method;
  RunArguments run;
};

/// All options of `train` but the common ones.
void add_train_options(CLI::App& verb, TrainOptions& options);

/// What is known of a run before a device is touched.
struct PlannedTraining {
  TrainOptions options;  // with what the method's recipe adds to them
  ModelDescription model;
  TrainerConfig config;
  Json key_settings;  // all that its numbers depend on (run_keys)
};

PlannedTraining plan_training(TrainOptions options,
                              const data::ImageSet& set,
                              const data::OpenWorldSplit& split);

struct TrainedRun {
  int exit_code = 0;      // 130 or 143 after a signal
  bool finished = false;  // else a signal or --max-hours came first; all is saved
  std::filesystem::path folder;
};

/// How a run is shown.
struct RunDisplay {
  RunPlace place;     // among others
  bool print = true;  // scores on stdout
};

/// From the first step or the newest checkpoint to the end. eval/summary.json is the last file that
/// is written.
TrainedRun train_run(const TrainOptions& options,
                     const data::ImageSet& set,
                     const data::OpenWorldSplit& split,
                     const nn::Engine& engine,
                     const RunDisplay& display = {});

}  // namespace opencd::cli
