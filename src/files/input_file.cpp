#include "files/input_file.hpp"

#include "error.hpp"
#include "files/printable.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace opencd::files {

namespace {
[[noreturn]] void fail_read(const std::filesystem::path& path, const char* action, int error) {
  fail<FormatError>("[read] cannot {} {}: {}", action, in_quotes(path.native()),
                    std::generic_category().message(error));
}
}  // namespace

InputFile::InputFile(std::filesystem::path path) : path_(std::move(path)) {
  // Without O_NONBLOCK a named pipe would hang here instead of being refused below.
  file_ = FileDescriptor(::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file_.is_open()) fail_read(path_, "open", errno);
  struct stat status = {};
  if (::fstat(file_.get(), &status) != 0) fail_read(path_, "look at", errno);
  if (!S_ISREG(status.st_mode))
    fail<FormatError>("[read] {} is not a regular file", in_quotes(path_.native()));
  size_ = static_cast<std::uint64_t>(status.st_size);
}

void InputFile::read_at(std::uint64_t offset, std::span<std::byte> dst) const {
  const std::uint64_t end = offset + dst.size();
  if (end < offset || end > size_)
    fail<FormatError>("[read] {} has {} bytes; {} bytes from byte {} on were asked for",
                      in_quotes(path_.native()), size_, dst.size(), offset);
  while (!dst.empty()) {
    const ssize_t got =
        ::pread(file_.get(), dst.data(), dst.size(), static_cast<off_t>(end - dst.size()));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_read(path_, "read", errno);
    if (got == 0)
      fail<FormatError>("[read] {} ended at byte {} while it was read; it had {} bytes before",
                        in_quotes(path_.native()), end - dst.size(), size_);
    dst = dst.subspan(static_cast<std::size_t>(got));
  }
}

std::string read_text_file(const std::filesystem::path& path, std::uint64_t most_bytes) {
  const InputFile file(path);
  if (file.size() > most_bytes)
    fail<FormatError>("[read] {} has {} bytes, expected at most {}", in_quotes(path.native()),
                      file.size(), most_bytes);
  std::string text(file.size(), '\0');
  file.read_at(0, std::as_writable_bytes(std::span(text)));
  return text;
}

}  // namespace opencd::files
