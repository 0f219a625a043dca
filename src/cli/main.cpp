// The program: reads the command line, runs one verb, turns failures into one line and an exit code.
//   0 done   1 a check failed or an unforeseen error   2 wrong usage   3 bad or corrupt input
//   4 numbers not finite   5 device or memory
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/version.hpp"
#include "error.hpp"

#include <fmt/format.h>

#include <cstdio>

namespace opencd::cli {

namespace {

constexpr int kUnforeseen = 1;
constexpr int kUsage = 2;
constexpr int kFormat = 3;
constexpr int kNonFinite = 4;
constexpr int kDevice = 5;

int complain(const std::exception& error, int code) {
  fmt::print(stderr, "opencd_sycl: {}\n", printable(error.what()));
  return code;
}

/// The verb the user was talking to when the command line went wrong.
const CLI::App* innermost(const CLI::App* app) {
  const auto chosen = app->get_subcommands();
  return chosen.empty() ? app : innermost(chosen.front());
}

/// One sentence about a command line that does not parse.
std::string explain(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& verb = *innermost(&app);
  std::string text = error.what();
  const auto extras = app.remaining(true);  // words that no verb and no option took
  const std::string unknown = extras.empty() ? "" : extras.front();
  if (!unknown.empty()) {
    const std::string name = unknown.substr(0, unknown.find('='));
    text = fmt::format("unknown {} '{}'", name.starts_with('-') ? "option" : "verb or word", name);
    const std::string near = nearest_name(name, known_names(verb));
    if (!near.empty()) text += fmt::format("; did you mean {}?", near);
  }
  return fmt::format("{} (see `{} --help`)", text, full_name(verb));
}

int run(int argc, char** argv) {
  CLI::App app("Finds classes nobody has labelled: open-world novel class discovery on any device.",
               "opencd_sycl");
  app.set_version_flag("--version", version_text(), "Version, commit and libraries");
  app.require_subcommand(1);
  app.get_formatter()->column_width(34);
  app.footer("`opencd_sycl VERB --help` tells about a verb.");
  Action action;
  add_devices_command(app, action);
  add_doctor_command(app, action);
  add_data_command(app, action);
  add_pretrain_command(app, action);
  add_train_command(app, action);
  add_compare_command(app, action);
  add_evaluate_command(app, action);
  add_discover_command(app, action);
  add_predict_command(app, action);
  add_name_command(app, action);
  add_export_command(app, action);
  add_report_command(app, action);
  add_bench_command(app, action);
  add_config_command(app, action);

  try {
    std::vector<std::string> words = normalise_names(argc, argv);
    std::reverse(words.begin(), words.end());  // CLI11 takes them from the back
    app.parse(words);
  } catch (const CLI::Success& request) {  // --help, --version
    return app.exit(request);
  } catch (const CLI::ParseError& error) {
    throw UsageError(explain(app, error));
  }
  return action();
}

}  // namespace

}  // namespace opencd::cli

int main(int argc, char** argv) {
  using namespace opencd;
  using namespace opencd::cli;
  try {
    return run(argc, argv);
  } catch (const UsageError& error) {
    return complain(error, kUsage);
  } catch (const FormatError& error) {
    return complain(error, kFormat);
  } catch (const NonFiniteError& error) {
    return complain(error, kNonFinite);
  } catch (const DeviceError& error) {
    return complain(error, kDevice);
  } catch (const std::exception& error) {
    return complain(error, kUnforeseen);
  }
}
