// `config`: the default configuration of a verb, as a file to start from.
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "error.hpp"

#include <fmt/ranges.h>

#include <memory>

namespace opencd::cli {

namespace {

struct ConfigOptions {
  CommonOptions common;
  std::vector<std::string> verb = {"train"};
};

/// The verb that words like `data split` mean.
CLI::App& find_verb(CLI::App& app, const std::vector<std::string>& words) {
  CLI::App* verb = &app;
  for (const std::string& word : words) {
    const auto named =
        verb->get_subcommands([&](const CLI::App* v) { return v->get_name() == word; });
    if (named.empty()) {
      const std::string near = nearest_name(word, known_names(*verb));
      fail<UsageError>("config: there is no verb '{}'{}", fmt::join(words, " "),
                       near.empty() ? "" : fmt::format("; did you mean {}?", near));
    }
    verb = named.front();
  }
  return *verb;
}

}  // namespace

void add_config_command(CLI::App& app, Action& action) {
  auto options = std::make_shared<ConfigOptions>();
  CLI::App* verb = app.add_subcommand("config", "Print the commented default configuration");
  verb->add_option("VERB", options->verb, "Whose configuration")->capture_default_str();
  define_verb(*verb, options->common, action, [options, &app] {
    fmt::print("{}", default_configuration(find_verb(app, options->verb)));
    return 0;
  });
  verb->footer("Example: opencd_sycl config train > run.toml");
}

}  // namespace opencd::cli
