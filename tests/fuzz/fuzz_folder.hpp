// For parsers that read files of a folder: one that lasts as long as the process, called as complaints must call it.
#pragma once

#include "files/input_file.hpp"
#include "fuzz.hpp"
#include "support/temporary_folder.hpp"

#include <filesystem>
#include <limits>
#include <string>

namespace opencd::fuzz {

inline const std::filesystem::path& work_folder() {
  static const test::TemporaryFolder around;
  static const std::filesystem::path folder = [] {
    std::filesystem::create_directory(around / kName);
    return around / kName;
  }();
  return folder;
}

inline void put(const std::filesystem::path& file, std::string_view bytes) {
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (!out) __builtin_trap();
}

inline std::string get(const std::filesystem::path& file) {
  return files::read_text_file(file, std::numeric_limits<std::uint64_t>::max());
}

}  // namespace opencd::fuzz
