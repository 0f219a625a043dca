// All of a small file, as text.
#pragma once

#include "files/input_file.hpp"

#include <filesystem>
#include <string>

namespace opencd::test {

inline std::string content(const std::filesystem::path& path) {
  return files::read_text_file(path, 1 << 20);
}

}  // namespace opencd::test
