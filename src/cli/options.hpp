// What the command line means before any verb looks at it: the options that all verbs share, the
// spelling of names, sizes with units.
#pragma once

#include "cli/settings.hpp"

#include <CLI/CLI.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace opencd::cli {

/// Options that every verb takes.
struct CommonOptions {
  std::string device = "auto";
  std::string memory_limit;  // "512MiB"; empty: none
  std::string kernel_cache = "auto";
  std::uint32_t seed = 2023;
  bool deterministic = false;
  int threads = 0;  // 0: all cores
  bool json = false;
  bool quiet = false;
  std::string progress = "auto";
  std::string log_level = "info";
  SettingSources sources;  // where the values of all options come from

  bool hides_progress() const { return quiet || progress == "never"; }
};

/// What a verb leaves to be done once the whole command line has proved right; returns an exit code.
using Action = std::function<int()>;

/// Adds the common options to a verb, after its own, and makes `action` do `work` when the verb is asked for, after
/// log and threads are set as the options say. `options` must live as long as the verb.
void define_verb(CLI::App& verb, CommonOptions& options, Action& action, Action work);

/// Writes every long option name with `-`: users may type `_`. Values are left alone.
std::vector<std::string> normalise_names(int argc, const char* const* argv);

/// "64", "512KiB", "1.5G" as bytes; K, M, G, T are powers of 1024. Throws UsageError.
std::size_t parse_bytes(const std::string& text);

/// The entry of `names` that is nearest to `word`, or empty if none is near.
std::string nearest_name(const std::string& word, const std::vector<std::string>& names);

/// The verb as it is typed: "opencd_sycl data info".
std::string full_name(const CLI::App& verb);

/// Every verb or option name that could have been meant where `app` found a word it does not know.
std::vector<std::string> known_names(const CLI::App& app);

}  // namespace opencd::cli
