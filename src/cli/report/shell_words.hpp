// Words as they would be typed into a shell.
#pragma once

#include <string>
#include <vector>

namespace opencd::cli::report {

std::string shell_command(const std::vector<std::string>& words);

}  // namespace opencd::cli::report
