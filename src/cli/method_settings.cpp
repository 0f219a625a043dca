#include "cli/method_settings.hpp"

#include "error.hpp"
#include "opencd/methods/registry.hpp"

#include <fmt/ranges.h>

#include <algorithm>

namespace opencd::cli {

namespace {

Setting* find(std::vector<Setting>& settings, const std::string& key) {
  const auto found = std::find_if(settings.begin(), settings.end(),
                                  [&](const Setting& setting) { return setting.key == key; });
  return found == settings.end() ? nullptr : &*found;
}

/// The methods that have an option.
std::vector<std::string> methods_with(const std::string& option) {
  std::vector<std::string> methods = method_names();
  std::erase_if(methods, [&](const std::string& name) { return !takes_option(name, option); });
  return methods;
}

}  // namespace

Json settle_method(const MethodArguments& arguments,
                   const MethodTask& task,
                   std::vector<Setting>& settings) {
  Json options = method_options(arguments);
  const auto nobody_said = [&](const std::string& key) {
    const Setting* setting = find(settings, key);
    return setting == nullptr || setting->source == "default";
  };
  Json given = Json::object();
  for (const auto& [key, value] : options.items())
    if (!nobody_said(key)) given[key] = value;
  const Json defaults = method_defaults(arguments.method, task, given);
  for (const auto& [key, value] : defaults.items()) {
    if (!nobody_said(key) || options.at(key) == value) continue;
    options[key] = value;
    if (Setting* setting = find(settings, key)) *setting = {key, value, "method"};
  }
  return options;
}

void check_method_flags(const std::string& method, const std::vector<Setting>& settings) {
  for (const Setting& setting : settings) {
    if (setting.source != "flag") continue;
    const std::string option = setting.key.starts_with("no-") ? setting.key.substr(3) : setting.key;
    const std::vector<std::string> methods = methods_with(option);
    if (methods.empty() || takes_option(method, option)) continue;
    fail<UsageError>("--{} is an option of {}, not of {}: leave it out, or choose --method {}",
                     setting.key, fmt::join(methods, ", "), method, methods.front());
  }
}

}  // namespace opencd::cli
