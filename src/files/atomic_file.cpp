#include "files/atomic_file.hpp"

#include "error.hpp"
#include "files/durable.hpp"
#include "files/printable.hpp"

#include <fcntl.h>

#include <cerrno>

namespace opencd::files {

AtomicFile::AtomicFile(std::filesystem::path path) : path_(std::move(path)) {
  folder_ = path_.has_parent_path() ? path_.parent_path() : std::filesystem::path(".");
  do {  // two machines may share the folder: O_EXCL settles who has a name
    temporary_ = folder_ / temporary_name();
    file_ =
        FileDescriptor(::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  } while (!file_.is_open() && errno == EEXIST);
  if (!file_.is_open()) {
    temporary_.clear();  // not ours to remove
    fail_write("make", errno);
  }
}

AtomicFile::~AtomicFile() { drop(); }

void AtomicFile::drop() noexcept {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  temporary_.clear();
  file_ = {};
}

void AtomicFile::reserve(std::uint64_t bytes) {
  if (bytes == 0) return;
  int result = 0;
  do {
    result = ::fallocate(file_.get(), FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(bytes));
  } while (result != 0 && errno == EINTR);
  if (result != 0 && !means_unsupported(errno)) fail_write("reserve room for", errno);
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file_.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_write("write", errno);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void AtomicFile::commit() {
  if (::fsync(file_.get()) != 0) fail_write("write", errno);
  if (!file_.close()) fail_write("close", errno);
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail_write("rename into", errno);
  temporary_.clear();
  sync_folder(folder_);
}

void AtomicFile::fail_write(const char* action, int error) {
  drop();
  fail<FormatError>("[write] cannot {} {}: {}", action, in_quotes(path_.native()),
                    explain_error(error));
}

void write_file(const std::filesystem::path& path, std::string_view text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

}  // namespace opencd::files
