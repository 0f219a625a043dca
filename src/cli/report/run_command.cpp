#include "cli/report/run_command.hpp"

#include <algorithm>
#include <set>
#include <string_view>

namespace opencd::cli::report {

namespace {

bool is_plain(char c) {
  constexpr std::string_view kSigns = "-_./=,:@%+~";
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         kSigns.find(c) != std::string_view::npos;
}

std::string quoted_word(const std::string& word) {
  if (!word.empty() && std::all_of(word.begin(), word.end(), is_plain)) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

std::string word_of(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return value.dump();
  std::string list;
  for (const Json& entry : value) list += (list.empty() ? "" : ",") + word_of(entry);
  return list;
}

}  // namespace

std::vector<std::string> command_words(const RunRecord& run) {
  std::vector<std::string> words = {"opencd_sycl", run.verb}, flags;
  const Json settings = run.arguments.value("settings", Json::object());
  for (const auto& [key, setting] : settings.items()) {
    const std::string source = setting.value("source", "default");
    if (source == "default" || source == "preset") continue;
    const Json value = setting.value("value", Json());
    if (key == "data" || key == "features") {  // the words without a name
      words.push_back(word_of(value));
    } else if (!value.is_boolean()) {
      flags.push_back("--" + key);
      flags.push_back(word_of(value));
    } else if (value.get<bool>()) {
      flags.push_back("--" + key);
    }
  }
  words.insert(words.end(), flags.begin(), flags.end());
  return words;
}

bool is_housekeeping(const std::string& key) {
  static const std::set<std::string> keys = {
      "out",       "name",      "runs",         "resume",    "force",      "config",
      "progress",  "quiet",     "log-level",    "json",      "threads",    "save-every",
      "keep-last", "max-hours", "save-minutes", "mem-limit", "eval-every", "kernel-cache"};
  return keys.contains(key);
}

std::string shell_command(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + quoted_word(word);
  return text;
}

}  // namespace opencd::cli::report
