#include "files/atomic_file.hpp"

#include "error.hpp"
#include "files/printable.hpp"

#include <fcntl.h>

#include <atomic>
#include <cerrno>
#include <system_error>

namespace opencd::files {

namespace {
/// Differs between the files of one process; processes are told apart by their number, and
/// O_EXCL settles the rest (two machines that share a folder).
std::string temporary_name() {
  static std::atomic<unsigned> count{0};
  return fmt::format(".tmp-{}-{}", ::getpid(), count++);
}

/// File systems that cannot do a thing say so by one of these.
bool means_unsupported(int error) {
  return error == EOPNOTSUPP || error == ENOSYS || error == EINVAL;
}
}  // namespace

AtomicFile::AtomicFile(std::filesystem::path path) : path_(std::move(path)) {
  folder_ = path_.has_parent_path() ? path_.parent_path() : std::filesystem::path(".");
  do {
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
  make_rename_durable();
}

void AtomicFile::make_rename_durable() const {
  FileDescriptor folder(::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.is_open() && errno == EACCES) return;  // a folder one may write but not list
  if (folder.is_open() && (::fsync(folder.get()) == 0 || means_unsupported(errno))) return;
  fail<FormatError>("[write] {} is written, but its folder could not be synchronised: {}",
                    in_quotes(path_.native()), std::generic_category().message(errno));
}

void AtomicFile::fail_write(const char* action, int error) {
  drop();
  const bool full = error == ENOSPC || error == EDQUOT;
  fail<FormatError>("[write] cannot {} {}: {}{}", action, in_quotes(path_.native()),
                    std::generic_category().message(error),
                    full ? "; free some space or choose another folder" : "");
}

void write_file(const std::filesystem::path& path, std::string_view text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

}  // namespace opencd::files
