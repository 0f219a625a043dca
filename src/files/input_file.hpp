// A file opened for reading in pieces. Nothing is mapped: a file that shrinks while it is read
// becomes an error, not a signal.
#pragma once

#include "files/file_descriptor.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

namespace opencd::files {

class InputFile {
 public:
  /// Throws FormatError unless `path` is a regular file that can be read.
  explicit InputFile(std::filesystem::path path);

  const std::filesystem::path& path() const { return path_; }

  /// Bytes in the file when it was opened.
  std::uint64_t size() const { return size_; }

  /// Fills `dst` from byte `offset` on; throws FormatError if the file ends before.
  void read_at(std::uint64_t offset, std::span<std::byte> dst) const;

 private:
  std::filesystem::path path_;
  FileDescriptor file_;
  std::uint64_t size_ = 0;
};

/// The whole file as text; throws FormatError before reading if it is larger than `most_bytes`.
std::string read_text_file(const std::filesystem::path& path, std::uint64_t most_bytes);

}  // namespace opencd::files
