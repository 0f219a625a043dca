// Runs that differ from the one asked for in one thing: what an ablation leaves out or adds, what a sweep
// changes.
#pragma once

#include "cli/compare/entries.hpp"

#include <functional>
#include <string>
#include <vector>

namespace opencd::cli {

/// A change of the options that makes another run.
struct Variant {
  std::string tag;    // in names of runs: "no-reg"; empty: as the options are
  std::string label;  // in tables: "without L_reg"
  std::function<void(TrainOptions&)> apply = [](TrainOptions&) {};
};

/// OpenNCD without each of its losses, and in full.
std::vector<Variant> ablations();
/// opencd+ without each of its parts, with each that can be added, and as it is.
std::vector<Variant> plus_ablations();

/// The runs that a sweep begins from, which it does not make again.
struct SweepBase {
  const TrainOptions& options;
  std::size_t known;  // classes of its split
};

struct Sweep {
  std::string key;
  std::vector<Variant> variants;

  /// What its values are.
  std::string what() const { return key == "known" ? "known classes" : key; }
  /// The same as a header, which must not be that of a score.
  std::string header() const { return key == "known" ? "known_classes" : key; }
};

/// From "prototypes=10,50". UsageError for keys that cannot be swept and values that do not read.
Sweep parse_sweep(const std::string& text, const SweepBase& base);

}  // namespace opencd::cli
