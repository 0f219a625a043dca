// What files and folders that must survive a crash have in common: names for what is not finished,
// and the calls that bring it to the disk.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace opencd::files {

/// ".tmp-PID-N": differs between the files of one process, and processes by their number.
std::string temporary_name();

/// The process that a temporary name belongs to; nothing for other names.
std::optional<pid_t> owner_of_temporary(std::string_view name);

/// Whether nobody writes to this temporary name any more: its process is gone, or has our own
/// number (as the first process of a container has each time).
bool is_stale_temporary(std::string_view name);

/// Brings a file to the disk. Throws FormatError.
void sync_file(const std::filesystem::path& path);

/// Brings the names in a folder to the disk. File systems that cannot are let pass, and so are
/// folders that may not be listed. Throws FormatError.
void sync_folder(const std::filesystem::path& path);

/// Whether this is how a file system says that it cannot do a thing at all.
bool means_unsupported(int error);

/// What a failed system call means to the user, with what to do about it: "No space left on device;
/// free some space or choose another folder".
std::string explain_error(int error);

}  // namespace opencd::files
