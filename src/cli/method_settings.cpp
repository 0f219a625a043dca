#include "cli/method_settings.hpp"

#include "error.hpp"
#include "opencd/methods/registry.hpp"

namespace opencd::cli {

Json settle_method(const MethodArguments& arguments,
                   const MethodTask& task,
                   std::vector<Setting>& settings) {
  Json options = method_options(arguments);
  const auto nobody_said = [&](const std::string& key) {
    const Setting* setting = find_setting(settings, key);
    return setting == nullptr || setting->source == "default";
  };
  Json given = Json::object();
  for (const auto& [key, value] : options.items())
    if (!nobody_said(key)) given[key] = value;
  const Json defaults = method_defaults(arguments.method, task, given);
  for (const auto& [key, value] : defaults.items()) {
    if (!nobody_said(key) || options.at(key) == value) continue;
    options[key] = value;
    if (Setting* setting = find_setting(settings, key)) {
      setting->value = value;
      setting->source = "method";
    }
  }
  return options;
}

void check_method_flags(const std::string& method, const std::vector<Setting>& settings) {
  const std::string_view extension = extension_of(method);
  if (extension.empty()) return;
  for (const Setting& setting : settings)
    if (setting.source == "flag" && takes_option(extension, setting.key) &&
        !takes_option(method, setting.key))
      fail<UsageError>(
          "--{} is a part of {}, which {} does not have: leave it out, or add --method {}",
          setting.key, extension, method, extension);
}

}  // namespace opencd::cli
