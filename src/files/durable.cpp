#include "files/durable.hpp"

#include "error.hpp"
#include "files/file_descriptor.hpp"
#include "files/printable.hpp"

#include <fcntl.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <system_error>

namespace opencd::files {

namespace {
constexpr std::string_view kPrefix = ".tmp-";

/// Takes a number from the front of `text`.
std::optional<pid_t> take_number(std::string_view& text) {
  pid_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 0) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}
}  // namespace

std::string temporary_name() {
  static std::atomic<unsigned> count{0};
  return fmt::format("{}{}-{}", kPrefix, ::getpid(), count++);
}

std::optional<pid_t> owner_of_temporary(std::string_view name) {
  if (!name.starts_with(kPrefix)) return std::nullopt;
  name.remove_prefix(kPrefix.size());
  const auto owner = take_number(name);
  if (!owner || !name.starts_with('-')) return std::nullopt;
  name.remove_prefix(1);
  return take_number(name) && name.empty() ? owner : std::nullopt;
}

bool is_stale_temporary(std::string_view name) {
  const auto owner = owner_of_temporary(name);
  if (!owner) return false;
  return *owner == ::getpid() || (::kill(*owner, 0) != 0 && errno == ESRCH);
}

void sync_file(const std::filesystem::path& path) {
  FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.is_open() && ::fsync(file.get()) == 0) return;
  fail<FormatError>("[write] cannot bring {} to the disk: {}", in_quotes(path.native()),
                    explain_error(errno));
}

void sync_folder(const std::filesystem::path& path) {
  FileDescriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.is_open() && errno == EACCES) return;  // a folder one may write but not list
  if (folder.is_open() && (::fsync(folder.get()) == 0 || means_unsupported(errno))) return;
  fail<FormatError>("[write] cannot bring the folder {} to the disk: {}", in_quotes(path.native()),
                    explain_error(errno));
}

bool means_unsupported(int error) {
  return error == EOPNOTSUPP || error == ENOSYS || error == EINVAL;
}

std::string explain_error(int error) {
  const bool full = error == ENOSPC || error == EDQUOT;
  return std::generic_category().message(error) +
         (full ? "; free some space or choose another folder" : "");
}

}  // namespace opencd::files
