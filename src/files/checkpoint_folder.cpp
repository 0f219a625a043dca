#include "files/checkpoint_folder.hpp"

#include "error.hpp"
#include "files/atomic_file.hpp"
#include "files/durable.hpp"
#include "files/printable.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <system_error>

namespace opencd::files {

namespace {
namespace fs = std::filesystem;

constexpr const char* kLast = "last";
constexpr const char* kBest = "best";

[[noreturn]] void fail_save(const char* action, const fs::path& path, int error) {
  fail<FormatError>("cannot {} {}: {}", action, in_quotes(path.native()), explain_error(error));
}

bool is_file_of_checkpoint(const std::string& name) {
  return name == kSumsFile || std::find(kCheckpointFiles.begin(), kCheckpointFiles.end(), name) !=
                                  kCheckpointFiles.end();
}

/// Whether `folder` is a folder that holds files of a checkpoint, whole or not yet renamed, and
/// nothing else: what this program may remove.
bool holds_only_ours(const fs::path& folder) {
  std::error_code error;
  if (fs::symlink_status(folder, error).type() != fs::file_type::directory) return false;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (!is_file_of_checkpoint(name) && !owner_of_temporary(name)) return false;
    if (at->symlink_status(error).type() != fs::file_type::regular) return false;
  }
  return !error;
}

bool is_ours(const fs::path& folder) {
  return holds_only_ours(folder) && fs::exists(folder / kSumsFile);
}

/// A folder under a temporary name, removed with all it holds unless it was renamed before.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(const fs::path& parent) : path_(parent / temporary_name()) {
    if (::mkdir(path_.c_str(), 0777) != 0) fail_save("make", path_, errno);
  }
  TemporaryFolder(TemporaryFolder&&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;  // what stays is removed at the next start
    fs::remove_all(path_, ignored);
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// Writes the sums and brings all files to the disk.
void seal(const fs::path& folder) {
  for (const std::string_view name : kCheckpointFiles) sync_file(folder / name);
  write_file(folder / kSumsFile, checkpoint_sums(folder));
  sync_folder(folder);
}
}  // namespace

CheckpointFolder::CheckpointFolder(fs::path folder, const CheckpointOptions& options)
    : folder_(std::move(folder)), options_(options) {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) fail_save("make", folder_, error.value());
  remove_leftovers();
  mend_last();
}

void CheckpointFolder::mend_last() const {
  const std::vector<Checkpoint> all = list_checkpoints(folder_);
  std::error_code error;
  if (all.empty() || fs::read_symlink(folder_ / kLast, error) == all.back().name()) return;
  try {
    verify_checkpoint(all.back().path);
    point(kLast, all.back().name());
  } catch (const FormatError&) {
    return;  // whoever resumes is told which ones are broken
  }
}

void CheckpointFolder::remove_leftovers() const {
  std::error_code ignored;  // what cannot be removed does no harm
  std::vector<fs::path> leftovers;
  for (fs::directory_iterator at(folder_, ignored), end; !ignored && at != end;
       at.increment(ignored))
    if (is_stale_temporary(at->path().filename().native())) leftovers.push_back(at->path());
  for (const fs::path& path : leftovers)
    if (fs::is_symlink(path, ignored) || holds_only_ours(path)) fs::remove_all(path, ignored);
}

void CheckpointFolder::require_room(std::uint64_t bytes) const {
  struct statvfs disk = {};
  if (::statvfs(folder_.c_str(), &disk) != 0) return;  // the write itself will tell
  const std::uint64_t room = std::uint64_t{disk.f_bavail} * disk.f_frsize;
  constexpr double kMiB = 1 << 20;
  if (room < bytes)
    fail<FormatError>(
        "a checkpoint takes {:.1f} MiB and {} has {:.1f} MiB left; free {:.1f} MiB or choose "
        "another folder",
        static_cast<double>(bytes) / kMiB, in_quotes(folder_.native()),
        static_cast<double>(room) / kMiB, static_cast<double>(bytes - room) / kMiB);
}

Checkpoint CheckpointFolder::save(const CheckpointPosition& position,
                                  std::uint64_t expected_bytes,
                                  const std::function<void(const fs::path&)>& write) {
  const Checkpoint saved = {position, folder_ / checkpoint_name(position)};
  try {
    require_room(expected_bytes);
    const TemporaryFolder temporary(folder_);
    write(temporary.path());
    seal(temporary.path());
    put_in_place(temporary.path(), saved.path);
    verify_checkpoint(saved.path);
    refused_.erase(saved.name());
    point(kLast, saved.name());
    remove_old(saved);
  } catch (const FormatError& error) {
    fail<FormatError>("[checkpoint] {} was not saved: {}; {}", saved.name(), error.what(),
                      advice());
  }
  return saved;
}

void CheckpointFolder::put_in_place(const fs::path& temporary, const fs::path& path) const {
  if (::rename(temporary.c_str(), path.c_str()) != 0) {
    if (errno != ENOTEMPTY && errno != EEXIST) fail_save("rename into", path, errno);
    // One of the same position is there: refused at the start, or of a run with other settings.
    if (!is_ours(path))
      fail<FormatError>("{} is in the way and is no checkpoint", in_quotes(path.native()));
    // In one step where the file system can; the old one then has the temporary name.
    if (::renameat2(AT_FDCWD, temporary.c_str(), AT_FDCWD, path.c_str(), RENAME_EXCHANGE) != 0) {
      const TemporaryFolder aside(folder_);
      if (::rename(path.c_str(), aside.path().c_str()) != 0) fail_save("rename", path, errno);
      if (::rename(temporary.c_str(), path.c_str()) != 0) {
        const int error = errno;
        ::rename(aside.path().c_str(), path.c_str());
        fail_save("rename into", path, error);
      }
    }
  }
  sync_folder(folder_);
}

void CheckpointFolder::point(const char* link, const std::string& name) const {
  const fs::path temporary = folder_ / temporary_name();
  const fs::path path = folder_ / link;
  if (::symlink(name.c_str(), temporary.c_str()) != 0) fail_save("make", path, errno);
  if (::rename(temporary.c_str(), path.c_str()) != 0) {
    const int error = errno;
    ::unlink(temporary.c_str());
    fail_save("rename into", path, error);
  }
  sync_folder(folder_);
}

void CheckpointFolder::remove_old(const Checkpoint& saved) const {
  if (options_.keep_last == 0) return;
  const auto kept = best();
  std::vector<Checkpoint> all = list_checkpoints(folder_);
  std::size_t newer = 0;
  for (auto one = all.rbegin(); one != all.rend(); ++one) {
    const std::string name = one->name();
    if (refused_.contains(name) || !is_ours(one->path)) continue;
    if (++newer <= options_.keep_last || name == saved.name() || (kept && name == kept->name()))
      continue;
    // Under a temporary name first: half a checkpoint must not be found under its own.
    const fs::path temporary = folder_ / temporary_name();
    std::error_code ignored;  // one that stays does no harm and is tried again next time
    fs::rename(one->path, temporary, ignored);
    if (!ignored) fs::remove_all(temporary, ignored);
  }
}

CheckpointSearch CheckpointFolder::newest_valid() {
  CheckpointSearch search = find_newest_checkpoint(folder_);
  for (const RefusedCheckpoint& refused : search.refused) refused_.insert(refused.name);
  return search;
}

void CheckpointFolder::mark_best(const Checkpoint& checkpoint) {
  try {
    point(kBest, checkpoint.name());
  } catch (const FormatError& error) {
    fail<FormatError>("[checkpoint] {} was not marked as the best: {}; {}", checkpoint.name(),
                      error.what(), advice());
  }
}

std::optional<Checkpoint> CheckpointFolder::best() const {
  std::error_code error;
  const std::string name = fs::read_symlink(folder_ / kBest, error).string();
  const auto position = parse_checkpoint_name(name);
  if (error || !position || !fs::exists(folder_ / name, error)) return std::nullopt;
  return Checkpoint{*position, folder_ / name};
}

std::string CheckpointFolder::advice() const {
  std::error_code error;
  const std::string last = fs::read_symlink(folder_ / kLast, error).string();
  if (error)
    return "there is none yet: mend this and start again, or choose another folder with -o";
  return fmt::format("{} is intact: mend this and continue with --resume auto", printable(last));
}

}  // namespace opencd::files
