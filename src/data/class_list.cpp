#include "data/class_list.hpp"

#include "data/file.hpp"
#include "error.hpp"

#include <set>
#include <sstream>

namespace opencd::data {

namespace {

constexpr std::size_t kMaxListBytes = std::size_t{1} << 24;

/// Without spaces around it; a list may have been written on Windows.
std::string trimmed(const std::string& line) {
  constexpr const char* kSpaces = " \t\r";
  const std::size_t begin = line.find_first_not_of(kSpaces);
  if (begin == std::string::npos) return "";
  return line.substr(begin, line.find_last_not_of(kSpaces) + 1 - begin);
}

bool is_folder_name(const std::string& name) {
  return is_clean_text(name) && name.find('/') == std::string::npos && !name.starts_with('.');
}

}  // namespace

std::vector<std::string> read_class_list(const std::filesystem::path& file) {
  const std::vector<std::uint8_t> bytes = read_file(file, kMaxListBytes);
  std::istringstream text(std::string(bytes.begin(), bytes.end()));
  std::vector<std::string> names;
  std::set<std::string> seen;
  std::size_t number = 0;
  for (std::string line; std::getline(text, line);) {
    ++number;
    const std::string name = trimmed(line);
    if (name.empty() || name.starts_with('#')) continue;
    if (!is_folder_name(name))
      fail<FormatError>("[class list] {}, line {}: expected the name of a folder, got '{}'",
                        display_name(file), number, display_text(name));
    if (!seen.insert(name).second)
      fail<FormatError>("[class list] {}, line {}: class {} is there twice", display_name(file),
                        number, name);
    names.push_back(name);
  }
  if (names.empty())
    fail<FormatError>("[class list] {}: expected names of class folders, one a line",
                      display_name(file));
  return names;
}

}  // namespace opencd::data
