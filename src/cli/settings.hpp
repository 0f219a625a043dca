// Where the values of options come from. A verb declares an option once, to CLI11; flag, `--set`, variable, key of
// the file, preset, help, `config` and args.json all follow from that. From weak to strong:
//
//   default    what the variable held when it was declared
//   preset     the values of `--preset NAME`, if the verb offers presets; of `--preset A,B` B's win
//   file       -c FILE.toml:  labeled-ratio = 0.1
//   environment               OPENCD_LABELED_RATIO=0.1
//   flag       --labeled-ratio 0.1, or --set labeled-ratio=0.1 (of both, the first wins)
//
// Keys are the long names of options; `_` and `-` are the same.
#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <string>
#include <utility>
#include <vector>

namespace opencd::cli {

/// A name for many values at once: {"small", {{"epochs", "20"}, {"width", "16"}}}.
struct Preset {
  std::string name;
  std::vector<std::pair<std::string, std::string>> values;
};

/// One option as it ended up; `source` is one of the words above.
struct Setting {
  std::string key;
  nlohmann::ordered_json value;
  std::string source;
};

/// What a verb needs to find the values of its options. Lives as long as the verb.
struct SettingSources {
  std::string file;                      // -c
  std::vector<std::string> assignments;  // --set
  std::string preset;                    // empty: none; or several, with commas between them
  std::vector<Preset> presets;
  std::vector<Setting> settings;  // of every option, once the command line has been read
};

/// UsageError, with the nearest name, if there is none.
const Preset& preset_called(const std::vector<Preset>& presets, const std::string& name);

/// Adds `--preset`, which stands for one of `presets`, or several (`standard` unless the user says
/// otherwise).
void add_preset_option(CLI::App& verb,
                       SettingSources& sources,
                       std::vector<Preset> presets,
                       const std::string& standard);

/// Adds -c and --set and makes the weaker sources fill, in their order, the options that no flag was given for.
/// Unknown keys and values that an option does not take are UsageErrors. To be called after all options were declared.
void use_setting_sources(CLI::App& verb, SettingSources& sources);

/// {"labeled-ratio": {"value": 0.1, "source": "file"}, ...}, as args.json records it.
nlohmann::ordered_json to_json(const std::vector<Setting>& settings);

/// All options of a verb as TOML with a comment on each; options without a default are commented out.
std::string default_configuration(CLI::App& verb);

}  // namespace opencd::cli
