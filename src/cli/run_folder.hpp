// The folder of a run: which one a command means, a new one or one to continue, and the files in it that
// tell what was run (cli.md lists them all). A folder that holds another run is never touched.
#pragma once

#include "files/checkpoint.hpp"
#include "files/file_descriptor.hpp"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace opencd::cli {

using Json = nlohmann::ordered_json;

/// What a command says about its run.
struct RunRequest {
  std::string verb;                     // "train"
  std::string name;                     // runs/NAME, NAME-2, ...
  std::filesystem::path root = "runs";  // where runs are
  std::filesystem::path out;            // --out: exactly this folder; empty: root and name decide
  std::string resume;                   // --resume: empty, "auto", or a run or a checkpoint
  bool force = false;                   // --force: continue though key settings have changed
  Json key_settings = Json::object();   // what may not change (run_keys)
  Json settings = Json::object();       // all options with their source, for args.json
  std::vector<std::string> command_line;
};

class RunFolder {
 public:
  /// Finds or makes the folder, locks it against other processes and writes args.json, which also keeps what --force has
  /// ever let pass: the key settings are those of the last start alone.
  ///   no resume        a new folder; `out` may be there if it is empty
  ///   resume "auto"    the run in `out`, or the one under `root` of the same verb and key settings that was started last;
  ///                    a new one if there is none, with a note on the newest of the same data
  ///   resume PATH      that run, from its newest checkpoint, or exactly that checkpoint; in place, or in `out` if given
  /// Throws UsageError for a folder that is not empty or is in use, and for changed key settings, each named with both
  /// values; FormatError for a run that cannot be read.
  explicit RunFolder(const RunRequest& request);

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path checkpoints() const { return path_ / "checkpoints"; }

  /// Where to go on; nothing for a run that starts from the beginning, be it new or killed before its first checkpoint.
  const std::optional<files::Checkpoint>& checkpoint() const { return checkpoint_; }
  /// Whether the folder was there before.
  bool resumed() const { return resumed_; }

  /// What the user should be told: checkpoints that were refused, settings that --force let pass.
  const std::vector<std::string>& notes() const { return notes_; }

  /// env.json: the host, and what the caller knows of device and libraries. Returns what of it was another at the last start
  /// and may change the last digits of numbers: "threads: 4 then, 2 now".
  std::vector<std::string> write_environment(const Json& program) const;

 private:
  void start_new(const RunRequest& request);
  void resume_newest(const RunRequest& request);
  void resume_from(const RunRequest& request);
  void enter(const std::filesystem::path& run);
  void compare_settings(const std::filesystem::path& run, const RunRequest& request);
  void take_newest(const std::filesystem::path& run);
  void take_exactly(const files::Checkpoint& checkpoint, bool elsewhere);
  void write_arguments(const RunRequest& request) const;

  std::filesystem::path path_;
  std::optional<files::Checkpoint> checkpoint_;
  bool resumed_ = false;
  std::vector<std::string> notes_;
  Json forced_ = Json::array();  // what --force let pass, at this start and at those before it
  files::FileDescriptor lock_;
};

/// A file as a key setting: its name, for people, and the sum of its bytes, which alone counts. Null for no file.
Json content_key(const std::filesystem::path& file);

/// Whether the run in `folder` was made with these key settings. FormatError if that cannot be read.
bool has_key_settings(const std::filesystem::path& folder, const Json& settings);
/// UsageError, with both values of each that differs, unless it was.
void require_key_settings(const std::filesystem::path& folder, const Json& settings);

}  // namespace opencd::cli
