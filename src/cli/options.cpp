#include "cli/options.hpp"

#include "cli/output.hpp"
#include "error.hpp"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace opencd::cli {

namespace {

/// Number of single-letter edits that turn `a` into `b`.
std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row.back();
}

/// Limits all threads of the program, libraries included, to the first `count` cores; 0: no limit.
void limit_threads(int count) {
  if (count <= 0) return;
  cpu_set_t all;
  cpu_set_t some;
  CPU_ZERO(&some);
  if (sched_getaffinity(0, sizeof(all), &all) != 0) return;
  for (int core = 0, taken = 0; core < CPU_SETSIZE && taken < count; ++core) {
    if (!CPU_ISSET(core, &all)) continue;
    CPU_SET(core, &some);
    ++taken;
  }
  // The SYCL runtime, oneDNN and oneMKL start as many threads as the process may use cores.
  if (sched_setaffinity(0, sizeof(some), &some) != 0)
    fail<UsageError>("--threads {}: the system does not let this process choose its cores", count);
}

void add_common_options(CLI::App& verb, CommonOptions& options) {
  const std::string group = "Common options";
  // Another device or number of cores may change last digits, but a run must be able to move to another machine:
  // whoever goes on with it there is told (RunFolder::write_environment).
  harmless(verb.add_option("--device", options.device,
                           "auto | cpu | gpu | INDEX | BACKEND:TYPE:N | name~TEXT")
               ->capture_default_str()
               ->group(group));
  harmless(
      verb.add_option("--mem-limit", options.memory_limit, "Most device memory to use, e.g. 512MiB")
          ->group(group));
  harmless(verb.add_option("--kernel-cache", options.kernel_cache,
                           "Where compiled kernels are kept for the next start: auto | off | "
                           "FOLDER")
               ->capture_default_str()
               ->group(group));
  verb.add_option("--seed", options.seed, "Seed of all random numbers")
      ->capture_default_str()
      ->group(group);
  verb.add_flag("--deterministic", options.deterministic,
                "Only library routines that repeat to the bit")
      ->group(group);
  harmless(verb.add_option("--threads", options.threads, "Cores to use; 0: all")
               ->check(CLI::NonNegativeNumber)
               ->capture_default_str()
               ->group(group));
  harmless(verb.add_flag("--json", options.json, "One JSON object on stdout, nothing else there")
               ->group(group));
  harmless(verb.add_flag("--quiet", options.quiet, "Only errors on stderr")->group(group));
  harmless(verb.add_option("--progress", options.progress, "auto | never")
               ->check(CLI::IsMember({"auto", "never"}))
               ->capture_default_str()
               ->group(group));
  harmless(verb.add_option("--log-level", options.log_level, "trace | debug | info | warn | error")
               ->check(CLI::IsMember({"trace", "debug", "info", "warn", "error"}))
               ->capture_default_str()
               ->group(group));
}

}  // namespace

void define_verb(CLI::App& verb, CommonOptions& options, Action& action, Action work) {
  add_common_options(verb, options);
  use_setting_sources(verb, options.sources);
  verb.callback([&options, &action, work = std::move(work)] {
    action = [&options, work] {
      start_logging(options.log_level, options.quiet);
      limit_threads(options.threads);
      return work();
    };
  });
}

std::vector<std::string> normalise_names(int argc, const char* const* argv) {
  std::vector<std::string> words;
  bool only_values = false;
  for (int i = 1; i < argc; ++i) {
    std::string word = argv[i];
    only_values = only_values || word == "--";
    if (!only_values && word.starts_with("--")) {
      const auto end =
          word.begin() + static_cast<std::ptrdiff_t>(std::min(word.find('='), word.size()));
      std::replace(word.begin(), end, '_', '-');
    }
    words.push_back(std::move(word));
  }
  return words;
}

std::size_t parse_bytes(const std::string& text) {
  std::size_t end = 0;
  double value = 0.0;
  try {
    value = std::stod(text, &end);
  } catch (const std::exception&) {
    end = 0;
  }
  std::string unit = text.substr(end);
  std::transform(unit.begin(), unit.end(), unit.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const std::vector<std::vector<std::string>> units = {
      {"", "b"}, {"k", "kb", "kib"}, {"m", "mb", "mib"}, {"g", "gb", "gib"}, {"t", "tb", "tib"}};
  for (std::size_t power = 0; power < units.size(); ++power) {
    if (std::find(units[power].begin(), units[power].end(), unit) == units[power].end()) continue;
    const double bytes = value * std::pow(1024.0, static_cast<double>(power));
    if (end != 0 && bytes >= 1.0 && bytes < 9e18) return static_cast<std::size_t>(bytes);
  }
  fail<UsageError>("expected a size in bytes such as 512MiB or 2G, got '{}'", text);
}

std::string nearest_name(const std::string& word, const std::vector<std::string>& names) {
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string& name : names) {
    const std::size_t distance = edit_distance(word, name);
    if (distance < best_distance) {
      best_distance = distance;
      best = name;
    }
  }
  return best;
}

std::string full_name(const CLI::App& verb) {
  const CLI::App* parent = verb.get_parent();
  return parent ? full_name(*parent) + " " + verb.get_name() : verb.get_name();
}

std::vector<std::string> known_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames())
      if (!option->get_group().empty()) names.push_back("--" + name);
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(verb->get_name());
  return names;
}

}  // namespace opencd::cli
