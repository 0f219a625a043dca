// A file that grows at its end, a whole record at a time.
#pragma once

#include "files/file_descriptor.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string_view>

namespace opencd::files {

/// Every failure is a FormatError that names the file and the reason.
class AppendFile {
 public:
  /// Opens the file or makes it.
  explicit AppendFile(std::filesystem::path path);

  /// Opens the file and cuts it after the first `keep` bytes, if it is longer.
  AppendFile(std::filesystem::path path, std::uint64_t keep);

  void append(std::string_view bytes);
  void sync();

  const std::filesystem::path& path() const { return path_; }

 private:
  [[noreturn]] void fail_append(const char* action, int error) const;

  std::filesystem::path path_;
  FileDescriptor file_;
};

/// The bytes of the leading lines of `text` that are whole and that `wanted` takes.
std::uint64_t leading_lines(std::string_view text,
                            const std::function<bool(std::string_view line)>& wanted);

}  // namespace opencd::files
