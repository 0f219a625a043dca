// Files that are too large for the repository: below OPENCD_TEST_DATA, or ../shared/data beside the
// sources.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

namespace opencd::test {

inline std::filesystem::path source_folder() { return OPENCD_SOURCE_DIR; }

/// Files in the repository that a script made with another program.
inline std::filesystem::path golden(const std::string& name) {
  return source_folder() / "tests/golden" / name;
}

inline std::filesystem::path test_data_root() {
  if (const char* named = std::getenv("OPENCD_TEST_DATA")) return named;
  return source_folder() / "../shared/data";
}

/// Nothing if the file is not there; the caller says that it skips.
inline std::optional<std::filesystem::path> test_data(const std::string& name) {
  std::filesystem::path path = test_data_root() / name;
  if (!std::filesystem::exists(path)) return std::nullopt;
  return path;
}

}  // namespace opencd::test
