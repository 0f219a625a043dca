// A file that appears whole or not at all. Bytes go to a temporary name in the same folder;
// `commit` makes them durable and renames them over the final name. Whatever happens before that,
// a full disk or a kill included, the final name keeps what it held.
#pragma once

#include "files/file_descriptor.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>

namespace opencd::files {

/// Every failure is a FormatError that names the file and the reason. It ends the attempt: the
/// temporary file is gone, and nothing can be written or committed any more.
class AtomicFile {
 public:
  /// The folder must exist. A symbolic link at `path` is replaced, not followed.
  explicit AtomicFile(std::filesystem::path path);
  AtomicFile(AtomicFile&&) = delete;
  ~AtomicFile();

  /// Claims room for `bytes` bytes, where the file system can, so that a full disk shows before
  /// the work and not after it.
  void reserve(std::uint64_t bytes);

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text))); }

  /// fsync, close, rename, fsync of the folder. Without it the destructor drops what was written.
  void commit();

  const std::filesystem::path& path() const { return path_; }

 private:
  [[noreturn]] void fail_write(const char* action, int error);
  void drop() noexcept;

  std::filesystem::path path_;
  std::filesystem::path folder_;
  std::filesystem::path temporary_;  // empty once it has become the final file
  FileDescriptor file_;
};

/// Writes a whole small file.
void write_file(const std::filesystem::path& path, std::string_view text);

}  // namespace opencd::files
