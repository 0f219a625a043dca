// A trained model as it lies on disk: which checkpoint a user means by a run, its checkpoints or one
// of them, and what that checkpoint says of itself. Needs no device.
#pragma once

#include "files/checkpoint.hpp"
#include "opencd/model_description.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace opencd {

/// Of the checkpoints of a run.
enum class CheckpointChoice { last, best };

struct SavedModel {
  std::filesystem::path run;  // with args.json, eval and names.json; empty for a lone checkpoint
  files::Checkpoint checkpoint;
  ModelDescription description;
  Json method_state;
  std::size_t groups = 0;  // group numbers are below; 0: the method has no groups

  /// Newer checkpoints that were passed over because they are damaged, with the reason.
  std::vector<std::string> refused;

  std::filesystem::path weights() const { return checkpoint.path / "model.safetensors"; }
  std::filesystem::path state() const { return checkpoint.path / "state.json"; }
};

/// `path` is a run, its folder of checkpoints, or one checkpoint, which is then taken whatever
/// `choice` says. Every file is verified. FormatError says what is not there or damaged.
SavedModel open_saved_model(const std::filesystem::path& path,
                            CheckpointChoice choice = CheckpointChoice::last);

}  // namespace opencd
