#include "files/append_file.hpp"

#include "error.hpp"
#include "files/durable.hpp"
#include "files/printable.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>

namespace opencd::files {

AppendFile::AppendFile(std::filesystem::path path) : path_(std::move(path)) {
  file_ = FileDescriptor(::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
  if (!file_.is_open()) fail_append("open", errno);
}

AppendFile::AppendFile(std::filesystem::path path, std::uint64_t keep)
    : AppendFile(std::move(path)) {
  struct stat status = {};
  if (::fstat(file_.get(), &status) != 0) fail_append("look at", errno);
  if (static_cast<std::uint64_t>(status.st_size) > keep &&
      ::ftruncate(file_.get(), static_cast<off_t>(keep)) != 0)
    fail_append("cut", errno);
}

void AppendFile::append(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file_.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_append("write to", errno);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void AppendFile::sync() {
  if (::fsync(file_.get()) != 0) fail_append("write to", errno);
}

void AppendFile::fail_append(const char* action, int error) const {
  fail<FormatError>("[write] cannot {} {}: {}", action, in_quotes(path_.native()),
                    explain_error(error));
}

std::uint64_t leading_lines(std::string_view text,
                            const std::function<bool(std::string_view line)>& wanted) {
  std::size_t begin = 0;
  for (;;) {
    const std::size_t end = text.find('\n', begin);
    if (end == std::string_view::npos || !wanted(text.substr(begin, end - begin))) return begin;
    begin = end + 1;
  }
}

}  // namespace opencd::files
