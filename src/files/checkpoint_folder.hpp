// The folder that a run saves its checkpoints in (checkpoint.hpp says what one is). A checkpoint is
// written under a temporary name, brought to the disk, renamed, verified, and only then older ones go.
// So whatever happens, a kill, a full disk or a power cut, the last one that was saved can be used.
//
//   epoch-0009/  epoch-0010/  last -> epoch-0010  best -> epoch-0009
#pragma once

#include "files/checkpoint.hpp"

#include <functional>
#include <set>

namespace opencd::files {

struct CheckpointOptions {
  std::size_t keep_last = 2;  // the best one stays besides; 0: all stay
};

class CheckpointFolder {
 public:
  /// Makes the folder if it is not there, and removes what processes that are gone left unfinished.
  explicit CheckpointFolder(std::filesystem::path folder, const CheckpointOptions& options = {});

  const std::filesystem::path& path() const { return folder_; }

  /// Saves what `write` puts into the folder it is given: the files of kCheckpointFiles, each by any
  /// means. Refuses before that if the disk has not `expected_bytes` free. Replaces a checkpoint of the
  /// same position. Afterwards `last` points to it and old ones are gone.
  /// Throws FormatError, which says what failed, which checkpoint is intact and how to go on.
  Checkpoint save(const CheckpointPosition& position,
                  std::uint64_t expected_bytes,
                  const std::function<void(const std::filesystem::path& folder)>& write);

  /// find_newest_checkpoint, and from now on the refused ones are neither counted nor removed.
  CheckpointSearch newest_valid();

  /// Makes `best` point to a checkpoint of this folder, which is then kept.
  void mark_best(const Checkpoint& checkpoint);

  /// What `best` points to, if that is there.
  std::optional<Checkpoint> best() const;

 private:
  void remove_leftovers() const;
  /// `last` is behind if a kill came between saving and pointing.
  void mend_last() const;
  void require_room(std::uint64_t bytes) const;
  void put_in_place(const std::filesystem::path& temporary,
                    const std::filesystem::path& path) const;
  void point(const char* link, const std::string& name) const;
  void remove_old(const Checkpoint& saved) const;
  std::string advice() const;

  std::filesystem::path folder_;
  CheckpointOptions options_;
  std::set<std::string> refused_;
};

}  // namespace opencd::files
