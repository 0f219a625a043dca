// One checkpoint of a run: a folder of files with the sums of their bytes, that appeared whole.
//
//   epoch-0010               ten epochs are done
//   epoch-0010-step-00042    and 42 steps of the eleventh
//     model.safetensors  state.safetensors  state.json
//     SHA256SUMS           as `sha256sum -c` reads it
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace opencd::files {

constexpr std::string_view kSumsFile = "SHA256SUMS";

/// The files that every checkpoint holds besides the sums.
constexpr std::array<std::string_view, 3> kCheckpointFiles = {"model.safetensors",
                                                              "state.safetensors", "state.json"};

/// How far training was. Later is greater.
struct CheckpointPosition {
  std::int64_t epoch = 0;  // epochs that are done
  std::int64_t step = 0;   // steps of the next epoch that are done; 0: between two epochs

  auto operator<=>(const CheckpointPosition&) const = default;
};

struct Checkpoint {
  CheckpointPosition position;
  std::filesystem::path path;

  std::string name() const { return path.filename().string(); }
};

/// "epoch-0010-step-00042"
std::string checkpoint_name(const CheckpointPosition& position);

/// Nothing for a name that `checkpoint_name` does not make.
std::optional<CheckpointPosition> parse_checkpoint_name(std::string_view name);

/// The text of SHA256SUMS for the files of `folder`.
std::string checkpoint_sums(const std::filesystem::path& folder);

/// Throws FormatError, which names the file and the reason, unless the folder holds every file of a
/// checkpoint, none else, and each has the bytes that were saved.
void verify_checkpoint(const std::filesystem::path& folder);

/// A checkpoint that cannot be used, and why.
struct RefusedCheckpoint {
  std::string name;
  std::string reason;
};

/// What a folder of checkpoints has to offer.
struct CheckpointSearch {
  std::optional<Checkpoint> newest;        // that could be verified
  std::vector<RefusedCheckpoint> refused;  // newer ones, newest first
};

/// Looks from the newest to the oldest for one that can be verified. Changes nothing; a folder that
/// is not there has nothing to offer.
CheckpointSearch find_newest_checkpoint(const std::filesystem::path& folder);

/// Everything in `folder` that is named like a checkpoint, oldest first, verified or not.
std::vector<Checkpoint> list_checkpoints(const std::filesystem::path& folder);

}  // namespace opencd::files
