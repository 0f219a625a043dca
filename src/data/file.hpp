// Whole files in and out. Sizes are looked at before memory is asked for, and what is written
// appears under its name only when it is complete.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace opencd::data {

/// Larger than any file that is read in one piece here.
constexpr std::size_t kMaxFileBytes = std::size_t{1} << 36;

/// All bytes of a regular file of at most `max_bytes`; FormatError names the file otherwise.
std::vector<std::uint8_t> read_file(const std::filesystem::path& path,
                                    std::size_t max_bytes = kMaxFileBytes);

/// The same as text.
std::string read_text_file(const std::filesystem::path& path, std::size_t max_bytes);

/// Writes beside `path`, brings the bytes to the disk and renames: a reader sees the old file or
/// the new one, never a part.
void write_file_atomically(const std::filesystem::path& path, std::span<const std::uint8_t> bytes);
void write_file_atomically(const std::filesystem::path& path, std::string_view text);

/// Valid UTF-8 without control characters.
bool is_clean_text(std::string_view text);

/// The path for messages: control characters and bytes that are not UTF-8 become \xNN.
std::string display_name(const std::filesystem::path& path);
std::string display_text(std::string_view text);

/// Owns a file descriptor.
class FileDescriptor {
 public:
  explicit FileDescriptor(int value) : value_(value) {}
  ~FileDescriptor();
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;

  int get() const { return value_; }
  bool valid() const { return value_ >= 0; }

 private:
  int value_;
};

/// A file that takes its name only when `commit` is called; without it nothing is left behind.
class AtomicFile {
 public:
  explicit AtomicFile(const std::filesystem::path& path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::span<const std::uint8_t> bytes);
  /// Overwrites bytes that were written before.
  void write_at(std::size_t offset, std::span<const std::uint8_t> bytes);
  void commit();

 private:
  [[noreturn]] void failed(const char* action) const;

  std::filesystem::path path_;
  std::filesystem::path temporary_;
  std::optional<FileDescriptor> file_;
};

}  // namespace opencd::data
