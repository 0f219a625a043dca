#include "cli/counter_options.hpp"

#include "cli/progress.hpp"
#include "cli/signals.hpp"
#include "opencd/interrupted.hpp"

#include <fmt/format.h>

namespace opencd::cli {

std::vector<std::string> all_counters() {
  std::vector<std::string> names = counter_names();
  names.insert(names.begin(), "opencd");
  return names;
}

void add_counter_options(CLI::App& verb, CounterArguments& a) {
  const std::string group = "Counters";
  const auto number = [&](const char* name, auto& value, const char* help) {
    return verb.add_option(name, value, help)->capture_default_str()->group(group);
  };
  number("--most-clusters", a.most,
         "Most clusters that a counter may make; 0: xmeans 20, gmeans and gmeans-split 100, "
         "dipdeck 35")
      ->check(CLI::Range(0, 1000));
  number("--pca", a.components, "Principal components that a counter looks at; 0: all features")
      ->check(CLI::Range(0, 100000));
  number("--autoencoder-epochs", a.autoencoder_epochs,
         "Epochs of DipDECK before it merges; half as many after every merge")
      ->check(CLI::Range(1, 100000));
}

CounterConfig counter_config(const std::string& counter,
                             const CounterArguments& a,
                             const CommonOptions& common) {
  return {.counter = counter,
          .most = a.most,
          .components = a.components,
          .autoencoder_epochs = a.autoencoder_epochs,
          .seed = common.seed,
          .deterministic = common.deterministic};
}

nlohmann::ordered_json to_json(const CounterConfig& config) {
  return {{"counter", config.counter},
          {"most-clusters", config.most},
          {"pca", config.components},
          {"autoencoder-epochs", config.autoencoder_epochs},
          {"seed", config.seed}};
}

std::optional<CountedClasses> count_until_signal(const nn::Engine& engine,
                                                 const LabelledFeatures& features,
                                                 const CounterConfig& config,
                                                 bool quiet) {
  const StopSignals signals;
  StatusLine status(quiet);
  const auto watch = [&](const std::string& stage, std::size_t done, std::size_t total) {
    if (StopSignals::stop_requested()) throw Interrupted();
    if (status.due())
      status.show(fmt::format("{}: {} {}{}/{}", config.counter, stage, status.bar(done, total),
                              done + 1, total));
  };
  try {
    CountedClasses counted = count_classes(engine, features, config, watch);
    status.clear();
    return counted;
  } catch (const Interrupted&) {
    status.clear();
    return std::nullopt;
  }
}

}  // namespace opencd::cli
