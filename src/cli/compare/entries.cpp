#include "cli/compare/entries.hpp"

#include "cli/train_presets.hpp"
#include "error.hpp"
#include "opencd/methods/registry.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <sstream>

namespace opencd::cli {

namespace {

/// `code`, `paper` and their forms for other data sets: `code-cifar100`.
bool follows_the_authors(const std::string& preset) {
  return preset.starts_with("code") || preset.starts_with("paper");
}

/// Says how much is trained, not what.
bool is_budget(const std::string& preset) {
  return !follows_the_authors(preset) && preset != kStandardPreset;
}

std::vector<std::string> presets_in_force(const TrainOptions& options) {
  std::vector<std::string> names;
  std::istringstream text(options.common.sources.preset);
  for (std::string name; std::getline(text, name, ',');) names.push_back(name);
  return names;
}

/// Of several presets, the later ones win.
std::map<std::string, std::string> values_of(const std::vector<std::string>& presets) {
  std::map<std::string, std::string> values;
  for (const std::string& name : presets)
    for (const Preset& preset : train_presets())
      if (preset.name == name)
        for (const auto& [key, value] : preset.values) values[key] = value;
  return values;
}

bool comes_from_the_user(const Setting& setting) {
  return setting.source != "default" && setting.source != "preset";
}

std::string text_of(const nlohmann::ordered_json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return value.dump();
  std::string list;
  for (const auto& entry : value) list += (list.empty() ? "" : ",") + text_of(entry);
  return list;
}

/// The options of `train` as if the user had named these presets and said everything else again.
class Reader {
 public:
  Reader(const TrainOptions& asked, const std::vector<std::string>& presets) : asked_(asked) {
    add_train_options(verb_, options_);
    options_.common.sources.presets.clear();  // their values come as words
    define_verb(verb_, options_.common, action_, [] { return 0; });
    for (const Setting& setting : asked.common.sources.settings)
      if (comes_from_the_user(setting)) say(setting.key, text_of(setting.value), setting.source);
    for (const auto& [key, value] : values_of(presets))
      if (!sources_.contains(key)) say(key, value, "preset");
  }

  TrainOptions read() {
    words_.push_back(asked_.data.data);  // the words are read from the last one on
    verb_.parse(words_);
    record();
    return std::move(options_);
  }

 private:
  void say(const std::string& key, const std::string& value, const std::string& source) {
    sources_[key] = source;
    const bool is_word = key == "data" || key == "preset";
    if (!is_word && verb_.get_option_no_throw("--" + key) != nullptr)
      words_.push_back(fmt::format("--{}={}", key, value));
  }

  /// Every value keeps the source that it has for the user.
  void record() {
    for (Setting& setting : options_.common.sources.settings)
      if (const auto found = sources_.find(setting.key); found != sources_.end())
        setting.source = found->second;
  }

  const TrainOptions& asked_;
  TrainOptions options_;
  CLI::App verb_;
  Action action_;
  std::vector<std::string> words_;
  std::map<std::string, std::string> sources_;  // by key, of what is said
};

TrainOptions under_preset(const std::string& preset, const TrainOptions& asked) {
  std::vector<std::string> presets = {preset};
  for (const std::string& name : presets_in_force(asked))
    if (is_budget(name)) presets.push_back(name);
  TrainOptions options = Reader(asked, presets).read();
  std::string& names = options.common.sources.preset;
  names = fmt::format("{}", fmt::join(presets, ","));
  note_setting(options, "preset", names);
  return options;
}

}  // namespace

std::vector<std::string> method_entry_names() {
  std::vector<std::string> names = method_names();
  for (const Preset& preset : train_presets())
    if (follows_the_authors(preset.name))
      names.push_back(fmt::format("{}-{}", kOpenNcd, preset.name));
  return names;
}

MethodEntry method_entry(const std::string& name) {
  const std::vector<std::string> methods = method_names();
  if (std::find(methods.begin(), methods.end(), name) != methods.end()) return {name, name, ""};
  const std::vector<std::string> all = method_entry_names();
  if (std::find(all.begin(), all.end(), name) == all.end())
    fail<UsageError>("[compare] expected a method among {}, got {}", fmt::join(all, ", "), name);
  return {name, kOpenNcd, name.substr(std::string(kOpenNcd).size() + 1)};
}

TrainOptions options_of(const MethodEntry& entry, const TrainOptions& asked) {
  TrainOptions options = entry.preset.empty() ? asked : under_preset(entry.preset, asked);
  options.method.method = entry.method;
  note_setting(options, "method", entry.method);
  return options;
}

void note_setting(TrainOptions& options, const std::string& key, nlohmann::ordered_json value) {
  std::vector<Setting>& settings = options.common.sources.settings;
  if (Setting* setting = find_setting(settings, key)) {
    setting->value = std::move(value);
    setting->source = "compare";
  } else {
    settings.push_back({key, std::move(value), "compare"});
  }
}

}  // namespace opencd::cli
