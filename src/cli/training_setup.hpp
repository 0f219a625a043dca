// What `train` and `pretrain` do around training: the run folder, the memory plan, start weights.
#pragma once

#include "cli/run_folder.hpp"
#include "cli/train_options.hpp"

namespace opencd::cli {

/// Says what training will take of the device, before it takes it.
void log_memory_plan(const Trainer& trainer, const kernels::Device& device);

RunRequest run_request(const std::string& verb,
                       const RunArguments& arguments,
                       const std::string& data_name,
                       Json key_settings,
                       const SettingSources& sources);

/// Writes env.json, sends the log to log.txt too, and passes the run's notes on.
void begin_run(const RunFolder& run, const kernels::Device& device);
/// The same, and splits.json.
void start_run(RunFolder& run, const kernels::Device& device, const data::OpenWorldSplit& split);

/// Loads the encoder from `weights`, if any, and says how much of it fitted. Before the run's folder is
/// made, so that a wrong file leaves nothing behind.
void load_start_weights(Trainer& trainer, const std::string& weights);

}  // namespace opencd::cli
