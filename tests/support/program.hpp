// The program as a user runs it, and what it leaves in files.
#pragma once

#include "support/process.hpp"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace opencd::test {

inline ProcessResult opencd(const std::vector<std::string>& arguments,
                            const ProcessOptions& options = {}) {
  return run_process(OPENCD_PROGRAM, arguments, options);
}

inline std::string text_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

inline nlohmann::json json_of(const std::filesystem::path& file) {
  return nlohmann::json::parse(text_of(file));
}

}  // namespace opencd::test
