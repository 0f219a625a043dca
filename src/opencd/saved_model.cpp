#include "opencd/saved_model.hpp"

#include "error.hpp"
#include "files/printable.hpp"
#include "files/strict_json.hpp"

namespace opencd {

namespace {

namespace fs = std::filesystem;
using files::in_quotes;

bool is_run(const fs::path& folder) { return fs::is_regular_file(folder / "args.json"); }
bool is_checkpoint(const fs::path& folder) { return fs::exists(folder / "state.json"); }

/// The path without links, so that checkpoints/last is known by its own name.
fs::path resolved(const fs::path& path) {
  std::error_code error;
  const fs::path result = fs::canonical(path, error);
  if (error)
    fail<FormatError>("[model] {}: {}; expected a run or a checkpoint", in_quotes(path.native()),
                      error.message());
  return result;
}

files::Checkpoint checkpoint_at(const fs::path& folder) {
  files::verify_checkpoint(folder);
  return {files::parse_checkpoint_name(folder.filename().native())
              .value_or(files::CheckpointPosition{}),
          folder};
}

files::Checkpoint best_of(const fs::path& checkpoints) {
  if (!fs::exists(checkpoints / "best"))
    fail<FormatError>(
        "[model] {}: no checkpoint is marked as the best: none was judged by labelled rows yet, or "
        "there are none; leave --checkpoint best out to take the last one",
        in_quotes(checkpoints.native()));
  return checkpoint_at(resolved(checkpoints / "best"));
}

files::Checkpoint last_of(const fs::path& checkpoints, std::vector<std::string>& refused) {
  const files::CheckpointSearch search = files::find_newest_checkpoint(checkpoints);
  for (const files::RefusedCheckpoint& damaged : search.refused)
    refused.push_back(fmt::format("{}: {}", damaged.name, damaged.reason));
  if (search.newest) return *search.newest;
  if (refused.empty())
    fail<FormatError>(
        "[model] {}: no checkpoint yet; training saves one every --save-every epochs and at its "
        "end",
        in_quotes(checkpoints.native()));
  fail<FormatError>("[model] {}: every checkpoint is damaged; the newest is {}",
                    in_quotes(checkpoints.native()), refused.front());
}

void choose(SavedModel& model, const fs::path& path, CheckpointChoice choice) {
  if (is_checkpoint(path)) {
    model.checkpoint = checkpoint_at(path);
    if (const fs::path run = path.parent_path().parent_path(); is_run(run)) model.run = run;
    return;
  }
  const bool within = !is_run(path) && is_run(path.parent_path());  // RUN/checkpoints
  if (!within && !is_run(path))
    fail<FormatError>(
        "[model] {} is no run: expected a folder with args.json and checkpoints, or a checkpoint "
        "with state.json and model.safetensors",
        in_quotes(path.native()));
  model.run = within ? path.parent_path() : path;
  const fs::path checkpoints = model.run / "checkpoints";
  model.checkpoint =
      choice == CheckpointChoice::best ? best_of(checkpoints) : last_of(checkpoints, model.refused);
}

}  // namespace

SavedModel open_saved_model(const fs::path& path, CheckpointChoice choice) {
  SavedModel model;
  choose(model, resolved(path), choice);
  const std::string file = model.state().string();
  const Json state = files::read_json_file(model.state());
  try {
    model.description = model_description(state.at("model"), file);
    model.method_state = state.at("training").at("method");
    model.groups = model.method_state.value("groups", std::size_t{0});
  } catch (const Json::exception& error) {
    fail<FormatError>("[model] {} does not read: {}", file, error.what());
  }
  return model;
}

}  // namespace opencd
