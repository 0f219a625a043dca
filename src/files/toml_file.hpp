// A configuration file: TOML without tables, each key a text, a number, true or false, or a list of these.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace opencd::files {

/// One key of the file. Numbers are given as one would type them.
struct TomlEntry {
  std::string key;
  std::vector<std::string> values;  // one, unless it is a list
  std::size_t line = 0;
};

/// In the order of the lines. Throws FormatError, which names `file` and the line.
std::vector<TomlEntry> parse_toml(std::string_view text, const std::filesystem::path& file);

std::vector<TomlEntry> read_toml_file(const std::filesystem::path& file);

/// `text` as a TOML string, in double quotes.
std::string toml_string(std::string_view text);

}  // namespace opencd::files
