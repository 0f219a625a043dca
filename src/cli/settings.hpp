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
//
// Where an option is declared, it is also said whether it matters to what a run computes. It does, unless
// `harmless` says that it does not, or `keyed_by` that its effect shows elsewhere; so none can be forgotten.
#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <functional>
#include <optional>
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
  /// The key of a run that its effect shows in: empty for a harmless option; by default its own.
  std::optional<std::string> keyed_by = std::nullopt;

  const std::string& run_key() const { return keyed_by ? *keyed_by : key; }
};

/// What a verb needs to find the values of its options. Lives as long as the verb.
struct SettingSources {
  std::string file;                      // -c
  std::vector<std::string> assignments;  // --set
  std::string preset;                    // empty: none; or several, with commas between them
  std::vector<Preset> presets;
  std::vector<Setting> settings;  // of every option, once the command line has been read
};

/// Null if no option has this key.
Setting* find_setting(std::vector<Setting>& settings, const std::string& key);

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

/// Says that an option changes no bit of what a run computes: a run may go on with another value.
CLI::Option* harmless(CLI::Option* option);
/// Says that what an option does shows in the key `key` that the verb adds itself, such as the hash of a file.
CLI::Option* keyed_by(const std::string& key, CLI::Option* option);
/// The same of every option that `add` declares.
void keyed_by(const std::string& key, CLI::App& verb, const std::function<void()>& add);
/// The key of a run that the effect of an option shows in; empty for a harmless one.
std::string run_key(CLI::Option& option);

/// Changes when the same settings come to give other numbers, so that no run of one program goes on in another.
inline constexpr int kNumbersVersion = 2;
/// Under which name a run keeps that version.
inline constexpr const char* kNumbersKey = "numbers";

/// All that the numbers of a run depend on: the settings that are keys themselves, `contents` (what the verb knows of the
/// others), and kNumbersVersion. UsageError where `contents` lacks a key that an option was declared to be keyed by.
nlohmann::ordered_json run_keys(const std::vector<Setting>& settings,
                                const nlohmann::ordered_json& contents);

/// {"labeled-ratio": {"value": 0.1, "source": "file"}, ...}, as args.json records it.
nlohmann::ordered_json to_json(const std::vector<Setting>& settings);

/// All options of a verb as TOML with a comment on each; options without a default are commented out.
std::string default_configuration(CLI::App& verb);

}  // namespace opencd::cli
