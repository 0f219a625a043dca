// Several runs side by side: runs that differ by nothing but their seed are one configuration, with mean
// and deviation of its scores.
#pragma once

#include "cli/report/document.hpp"
#include "cli/report/run_record.hpp"

#include <map>
#include <string>
#include <vector>

namespace opencd::cli::report {

struct Configuration {
  std::string name;               // "orca", if its runs are called orca-SEED; else "A", "B", ...
  std::vector<std::size_t> runs;  // places in the list of runs
  std::map<std::string, Json> settings;
};

/// In the order of their first runs.
std::vector<Configuration> configurations(const std::vector<RunRecord>& runs);

/// The settings that are not the same in all configurations.
std::vector<std::string> differing_settings(const std::vector<Configuration>& list);

Document comparison_page(const std::vector<RunRecord>& runs);

}  // namespace opencd::cli::report
