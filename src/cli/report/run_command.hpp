// The command that repeats a run, as it would be typed into a shell.
#pragma once

#include "cli/report/run_record.hpp"

#include <string>
#include <vector>

namespace opencd::cli::report {

/// Every setting that is not a default or the preset's becomes a flag, wherever it came from: a file
/// or a variable may not be there tomorrow.
std::vector<std::string> command_words(const RunRecord& run);

/// Whether a setting says where files go and what is shown, not what is computed.
bool is_housekeeping(const std::string& key);

/// Words with quotes where a shell needs them.
std::string shell_command(const std::vector<std::string>& words);

}  // namespace opencd::cli::report
