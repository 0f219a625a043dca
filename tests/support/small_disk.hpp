// A disk that is full soon, for what must be shown about full disks.
#pragma once

#include "support/temporary_folder.hpp"

#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

namespace opencd::test {

/// Mounts a small file system over `folder`, for this process alone.
inline bool mount_small_disk(const std::filesystem::path& folder) {
  const int spaces = CLONE_NEWNS | (::geteuid() == 0 ? 0 : CLONE_NEWUSER);
  return ::unshare(spaces) == 0 &&
         ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         ::mount("tmpfs", folder.c_str(), "tmpfs", 0, "size=64k") == 0;
}

enum Outcome { as_claimed = 0, not_mounted = 1, wrong = 2 };

/// In a process of its own, so that the mount ends with it.
template <class Check>
int on_small_disk(const TemporaryFolder& folder, Check&& check) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (!mount_small_disk(folder.path())) ::_exit(not_mounted);
    ::_exit(check() ? as_claimed : wrong);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : wrong;
}

}  // namespace opencd::test
