#include "data/file.hpp"

#include "data/utf8.hpp"
#include "error.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

namespace opencd::data {

namespace {

std::string reason() { return std::strerror(errno); }

/// Opens a regular file and tells its size. O_NONBLOCK: opening a pipe must not hang.
int open_regular(const std::filesystem::path& path, std::size_t max_bytes, std::size_t& size) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) fail<FormatError>("[read] {}: {}", display_name(path), reason());
  struct stat status{};
  const bool known = ::fstat(file, &status) == 0;
  size = static_cast<std::size_t>(status.st_size);
  if (known && S_ISREG(status.st_mode) && size <= max_bytes) return file;
  ::close(file);
  if (!known || !S_ISREG(status.st_mode))
    fail<FormatError>("[read] {}: expected a regular file", display_name(path));
  fail<FormatError>("[read] {}: {} bytes, expected at most {}", display_name(path), size,
                    max_bytes);
}

template <class Container>
Container read_whole(const std::filesystem::path& path, std::size_t max_bytes) {
  std::size_t size = 0;
  const FileDescriptor file(open_regular(path, max_bytes, size));
  Container bytes(size, {});
  std::size_t done = 0;
  while (done < size) {
    const ssize_t count = ::read(file.get(), bytes.data() + done, size - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail<FormatError>("[read] {}, byte {}: {}", display_name(path), done, reason());
    if (count == 0)
      fail<FormatError>("[read] {}: ended at byte {} of {} while being read", display_name(path),
                        done, size);
    done += static_cast<std::size_t>(count);
  }
  return bytes;
}

}  // namespace

std::vector<std::uint8_t> read_file(const std::filesystem::path& path, std::size_t max_bytes) {
  return read_whole<std::vector<std::uint8_t>>(path, max_bytes);
}

std::string read_text_file(const std::filesystem::path& path, std::size_t max_bytes) {
  return read_whole<std::string>(path, max_bytes);
}

void write_file_atomically(const std::filesystem::path& path, std::span<const std::uint8_t> bytes) {
  AtomicFile file(path);
  file.write(bytes);
  file.commit();
}

void write_file_atomically(const std::filesystem::path& path, std::string_view text) {
  write_file_atomically(path,
                        std::span(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()));
}

bool is_clean_text(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0 || is_control(text.substr(0, length))) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string display_text(std::string_view text) {
  std::string clean;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0 || is_control(text.substr(0, length))) {
      clean += fmt::format("\\x{:02x}", static_cast<std::uint8_t>(text[0]));
      text.remove_prefix(1);
    } else {
      clean += text.substr(0, length);
      text.remove_prefix(length);
    }
  }
  return clean;
}

std::string display_name(const std::filesystem::path& path) { return display_text(path.native()); }

FileDescriptor::~FileDescriptor() {
  if (valid()) ::close(value_);
}

AtomicFile::AtomicFile(const std::filesystem::path& path) : path_(path) {
  static std::atomic<unsigned> counter{0};
  temporary_ = path_;
  temporary_ += fmt::format(".tmp-{}-{}", ::getpid(), counter++);
  file_.emplace(::open(temporary_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
  if (!file_->valid()) failed("create");
}

AtomicFile::~AtomicFile() {
  if (!file_) return;
  file_.reset();
  ::unlink(temporary_.c_str());
}

void AtomicFile::write(std::span<const std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(file_->get(), bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) failed("write");
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
}

void AtomicFile::write_at(std::size_t offset, std::span<const std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t count =
        ::pwrite(file_->get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) failed("write");
    bytes = bytes.subspan(static_cast<std::size_t>(count));
    offset += static_cast<std::size_t>(count);
  }
}

void AtomicFile::commit() {
  if (::fsync(file_->get()) != 0) failed("write");
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) failed("rename");
  file_.reset();
  // The new name itself must reach the disk too.
  const std::filesystem::path folder = path_.has_parent_path() ? path_.parent_path() : ".";
  const FileDescriptor parent(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (parent.valid()) ::fsync(parent.get());
}

void AtomicFile::failed(const char* action) const {
  fail<FormatError>("[write] {}: cannot {}: {}", display_name(path_), action, reason());
}

}  // namespace opencd::data
