// How the program speaks: results on stdout, everything else on stderr.
#pragma once

#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace opencd::cli {

/// Sends log lines to stderr, plain where stderr is no terminal or NO_COLOR is set.
void start_logging(const std::string& level, bool quiet);

/// Sends log lines to the end of a file too, in place of the file before it: those that `level` asks
/// for, but at least from info on, `quiet` or not. Throws FormatError if it cannot be written.
void log_to_file(const std::filesystem::path& file);

/// Text that is safe to show in a terminal: control characters become '?'.
std::string printable(const std::string& text);

/// One line on stdout.
void print_line(const std::string& text);
/// One JSON object on stdout.
void print_json(const nlohmann::ordered_json& object);
/// Rows under a header, columns aligned; numbers are aligned to the right.
void print_table(const std::vector<std::string>& header,
                 const std::vector<std::vector<std::string>>& rows);

}  // namespace opencd::cli
