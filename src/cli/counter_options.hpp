// What `discover` and `compare` take on the command line for the counters of classes, and counting
// as a user sees it: with progress, ended by a signal.
#pragma once

#include "cli/options.hpp"
#include "opencd/counting/class_counter.hpp"

#include <nlohmann/json.hpp>

#include <optional>

namespace opencd::cli {

struct CounterArguments {
  std::size_t most = 0;
  std::size_t components = 0;
  std::int64_t autoencoder_epochs = CounterConfig{}.autoencoder_epochs;
};

/// OpenNCD's own way to count, which comes with training, and the counters of clusters.
std::vector<std::string> all_counters();

void add_counter_options(CLI::App& verb, CounterArguments& arguments);

CounterConfig counter_config(const std::string& counter,
                             const CounterArguments& arguments,
                             const CommonOptions& common);
/// What a count depends on besides the features.
nlohmann::ordered_json to_json(const CounterConfig& config);

/// Nothing after a signal; StopSignals::exit_code() tells which.
std::optional<CountedClasses> count_until_signal(const nn::Engine& engine,
                                                 const LabelledFeatures& features,
                                                 const CounterConfig& config,
                                                 bool quiet);

}  // namespace opencd::cli
