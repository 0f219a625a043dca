#include "cli/settings.hpp"

#include "cli/options.hpp"
#include "error.hpp"
#include "files/toml_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <map>

namespace opencd::cli {

namespace {

using Json = nlohmann::ordered_json;

std::string spelled(std::string key) {
  std::replace(key.begin(), key.end(), '_', '-');
  return key;
}

/// The long name of an option; that of DATA is data.
std::string key_of(const CLI::Option& option) {
  if (!option.get_lnames().empty()) return option.get_lnames().front();
  std::string key = option.get_name(true);
  std::transform(key.begin(), key.end(), key.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return key;
}

/// "OPENCD_LABELED_RATIO"
std::string variable_of(const std::string& key) {
  std::string name = "OPENCD_";
  for (const char c : key)
    name += c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return name;
}

/// CLI11 has no place for notes on an option, but it names validators, also those that never validate.
constexpr std::string_view kNote = "run key: ";

std::optional<std::string> noted_key(CLI::Option& option) {
  try {
    for (int i = 0;; ++i)
      if (const std::string& name = option.get_validator(i)->get_name(); name.starts_with(kNote))
        return name.substr(kNote.size());
  } catch (const CLI::OptionNotFound&) {
    return std::nullopt;
  }
}

CLI::Option* note_key(CLI::Option* option, const std::string& key) {
  CLI::Validator note([](std::string&) { return std::string(); }, "", std::string(kNote) + key);
  return option->check(note.active(false));
}

std::vector<CLI::Option*> options_with_keys(CLI::App& verb) {
  return verb.get_options([](const CLI::Option* option) { return option->get_configurable(); });
}

bool is_flag(const CLI::Option& option) { return option.get_expected_min() == 0; }
bool is_list(const CLI::Option& option) { return option.get_expected_max() > 1; }

/// Whether giving the flag makes its variable false, as --no-something does.
bool is_negative(const CLI::Option& option) { return option.check_fname(key_of(option)); }

/// Text as the option's type would have it.
Json typed(const CLI::Option& option, const std::string& text) {
  const std::string type = option.get_type_name();
  if (!type.starts_with("INT") && !type.starts_with("UINT") && !type.starts_with("FLOAT"))
    return text;
  Json number = Json::parse(text, nullptr, false);
  return number.is_number() ? number : Json(text);
}

/// What the option has ended up with, as words; CLI11 writes the default of a list as "[a,b]".
std::vector<std::string> words_of(CLI::Option& option) {
  if (option.count() > 0) return option.results();
  option.capture_default_str();  // what the variable holds
  const std::string text = option.get_default_str();
  if (!is_list(option)) return {text};
  return text.size() < 3 ? std::vector<std::string>()
                         : CLI::detail::split(text.substr(1, text.size() - 2), ',');
}

Json value_of(CLI::Option& option) {
  if (is_flag(option)) return option.count() > 0 && option.as<bool>() != is_negative(option);
  Json list = Json::array();
  for (const std::string& word : words_of(option)) list.push_back(typed(option, word));
  return is_list(option) ? list : list.back();
}

/// Gives options the values of weaker and weaker sources; those that have one keep it.
class Filler {
 public:
  Filler(CLI::App& verb, SettingSources& sources) : verb_(verb), sources_(sources) {
    for (const CLI::Option* option : options_with_keys(verb))
      if (option->count() > 0) source_[option] = "flag";
  }

  void run() {
    // Of several, the last one counts.
    for (auto word = sources_.assignments.rbegin(); word != sources_.assignments.rend(); ++word)
      assign(*word);
    read_environment();
    if (!sources_.file.empty())
      for (const files::TomlEntry& entry : files::read_toml_file(sources_.file))
        give(entry.key, entry.values, "file",
             fmt::format("{}, line {}", sources_.file, entry.line));
    take_presets();
    record();
  }

 private:
  void assign(const std::string& word) {
    const std::size_t sign = word.find('=');
    if (sign == std::string::npos || sign == 0)
      fail<UsageError>("--set: expected key=value, got '{}'", word);
    give(word.substr(0, sign), {word.substr(sign + 1)}, "flag", "--set " + word);
  }

  void read_environment() {
    for (const CLI::Option* option : options_with_keys(verb_)) {
      const std::string variable = variable_of(key_of(*option));
      const char* text = std::getenv(variable.c_str());
      if (text && *text) give(key_of(*option), {text}, "environment", variable);
    }
  }

  /// Of several presets the last one that speaks of an option counts.
  void take_presets() {
    if (sources_.presets.empty()) return;
    std::vector<std::string> names = CLI::detail::split(sources_.preset, ',');
    std::reverse(names.begin(), names.end());
    for (const std::string& name : names)
      for (const auto& [key, value] : preset_called(sources_.presets, name).values)
        give(key, {value}, "preset", "preset " + name);
  }

  /// `origin` tells the user where the value stands.
  void give(const std::string& key,
            const std::vector<std::string>& values,
            const char* source,
            const std::string& origin) {
    CLI::Option& option = find(spelled(key), origin);
    if (option.count() > 0 || values.empty()) return;  // an empty list says nothing
    if (values.size() != 1 && !is_list(option))
      fail<UsageError>("{}: {} takes one value, got {}", origin, key, values.size());
    try {
      for (const std::string& value : values)
        option.add_result(is_flag(option) ? option.get_flag_value(key_of(option), value) : value);
      option.run_callback();
    } catch (const CLI::ParseError& error) {
      fail<UsageError>("{}: {}", origin, error.what());
    }
    source_[&option] = source;
  }

  CLI::Option& find(const std::string& key, const std::string& origin) {
    std::vector<std::string> keys;
    for (CLI::Option* option : options_with_keys(verb_)) {
      if (key_of(*option) == key) return *option;
      keys.push_back(key_of(*option));
    }
    const std::string near = nearest_name(key, keys);
    fail<UsageError>("{}: unknown key '{}'{} (see `{} --help`)", origin, key,
                     near.empty() ? "" : fmt::format("; did you mean {}?", near), verb_.get_name());
  }

  void record() {
    sources_.settings.clear();
    for (CLI::Option* option : options_with_keys(verb_)) {
      const auto known = source_.find(option);
      sources_.settings.push_back({key_of(*option), value_of(*option),
                                   known == source_.end() ? "default" : known->second,
                                   run_key(*option)});
    }
  }

  CLI::App& verb_;
  SettingSources& sources_;
  std::map<const CLI::Option*, std::string> source_;
};

/// A value as TOML. Only texts need care: numbers, true, false and lists of these are the same in JSON.
std::string to_toml(const Json& value) {
  if (value.is_string()) return files::toml_string(value.get<std::string>());
  if (!value.is_array()) return value.dump();
  std::string list;
  for (const Json& entry : value) list += (list.empty() ? "" : ", ") + to_toml(entry);
  return fmt::format("[{}]", list);
}

/// A comment and a line of TOML.
std::string describe(CLI::Option& option) {
  const bool unset = !is_flag(option) && option.get_default_str().empty();
  return fmt::format("\n# {}\n{}{} = {}\n", option.get_description(), unset ? "#: " : "",
                     key_of(option), unset ? "" : to_toml(value_of(option)));
}

}  // namespace

Setting* find_setting(std::vector<Setting>& settings, const std::string& key) {
  const auto found = std::find_if(settings.begin(), settings.end(),
                                  [&](const Setting& setting) { return setting.key == key; });
  return found == settings.end() ? nullptr : &*found;
}

const Preset& preset_called(const std::vector<Preset>& presets, const std::string& name) {
  std::vector<std::string> names;
  for (const Preset& preset : presets) {
    if (preset.name == name) return preset;
    names.push_back(preset.name);
  }
  const std::string near = nearest_name(name, names);
  fail<UsageError>("--preset: there is no preset '{}'{}; there are {}", name,
                   near.empty() ? "" : fmt::format(" (did you mean {}?)", near),
                   fmt::join(names, ", "));
}

CLI::Option* harmless(CLI::Option* option) { return note_key(option, ""); }

CLI::Option* keyed_by(const std::string& key, CLI::Option* option) { return note_key(option, key); }

void keyed_by(const std::string& key, CLI::App& verb, const std::function<void()>& add) {
  const std::vector<CLI::Option*> before = options_with_keys(verb);
  add();
  for (CLI::Option* option : options_with_keys(verb))
    if (std::find(before.begin(), before.end(), option) == before.end() && !noted_key(*option))
      note_key(option, key);
}

std::string run_key(CLI::Option& option) { return noted_key(option).value_or(key_of(option)); }

Json run_keys(const std::vector<Setting>& settings, const Json& contents) {
  Json keys = contents;
  keys[kNumbersKey] = kNumbersVersion;
  for (const Setting& setting : settings) {
    const std::string& key = setting.run_key();
    if (key.empty() || contents.contains(key)) continue;
    if (key != setting.key)
      fail<UsageError>("[settings] --{} is keyed by \"{}\", which this verb does not tell",
                       setting.key, key);
    keys[key] = setting.value;
  }
  return keys;
}

void add_preset_option(CLI::App& verb,
                       SettingSources& sources,
                       std::vector<Preset> presets,
                       const std::string& standard) {
  sources.presets = std::move(presets);
  sources.preset = standard;
  std::vector<std::string> names;
  names.reserve(sources.presets.size());
  for (const Preset& preset : sources.presets) names.push_back(preset.name);
  // What it sets are options, each a key or harmless by itself.
  harmless(
      verb.add_option(
              "--preset", sources.preset,
              fmt::format("Values for many options at once: {}; of a list, A,B, the last one that "
                          "speaks of an option counts",
                          fmt::join(names, " | ")))
          ->capture_default_str());
}

void use_setting_sources(CLI::App& verb, SettingSources& sources) {
  const std::string group = "Common options";
  verb.add_option("-c,--config", sources.file,
                  "TOML file of options (`config` prints one); OPENCD_NAME variables win over it, "
                  "flags over both")
      ->configurable(false)
      ->group(group);
  if (!verb.get_option_no_throw("--set"))  // `name` has one of its own
    verb.add_option("--set", sources.assignments, "KEY=VALUE for any option; may be repeated")
        ->allow_extra_args(false)
        ->configurable(false)
        ->group(group);
  // CLI11 runs the callbacks of options after it has read all words and before it asks for required ones:
  // the place to fill in what the words did not say. This option is not for users; it is set with the verb.
  CLI::Option* fill_in =
      verb.add_option_function<std::string>("--fill-in", [&verb, &sources](const std::string&) {
        if (verb.get_help_ptr()->count() == 0) Filler(verb, sources).run();
      });
  fill_in->configurable(false)->group("");
  verb.preparse_callback([fill_in](std::size_t) { fill_in->add_result("now"); });
}

nlohmann::ordered_json to_json(const std::vector<Setting>& settings) {
  Json object = Json::object();
  for (const Setting& setting : settings)
    object[setting.key] = {{"value", setting.value}, {"source", setting.source}};
  return object;
}

std::string default_configuration(CLI::App& verb) {
  std::vector<CLI::Option*> options = options_with_keys(verb);
  std::string text = fmt::format(
      "# Configuration of `{}`: pass it with -c. Flags and OPENCD_NAME variables win over it.\n"
      "# Lines that begin with #: show options without a default.\n",
      full_name(verb));
  while (!options.empty()) {
    const auto rest = std::stable_partition(
        options.begin(), options.end(), [first = options.front()->get_group()](const auto* option) {
          return option->get_group() == first;
        });
    text += fmt::format("\n# == {} ==\n", options.front()->get_group());
    for (auto option = options.begin(); option != rest; ++option) text += describe(**option);
    options.erase(options.begin(), rest);
  }
  return text;
}

}  // namespace opencd::cli
