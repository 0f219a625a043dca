// What a comparison may call a method: one of the registry, with the presets that are in force, or
// OpenNCD by one of the presets that follow its authors: `opencd-code`, `opencd-paper`. So the same
// table holds several forms of one method under one budget.
#pragma once

#include "cli/train_run.hpp"

#include <string>
#include <vector>

namespace opencd::cli {

/// The paper's own, in the registry.
inline constexpr const char* kOpenNcd = "opencd";

struct MethodEntry {
  std::string name;    // "opencd-paper"
  std::string method;  // in the registry: "opencd"
  std::string preset;  // "paper"; empty: the presets in force

  /// OpenNCD as its authors published it, in one form or another.
  bool is_published() const { return method == kOpenNcd; }
};

/// All that may be named: the methods, then OpenNCD by its presets.
std::vector<std::string> method_entry_names();
/// UsageError for a name that is not among them.
MethodEntry method_entry(const std::string& name);

/// The options of a run of the entry: what the user asked for, under `preset` and then under those presets
/// in force that are only a budget, as `--preset paper,small` would have it.
TrainOptions options_of(const MethodEntry& entry, const TrainOptions& asked);

/// Changes what args.json will say of an option.
void note_setting(TrainOptions& options, const std::string& key, nlohmann::ordered_json value);

}  // namespace opencd::cli
