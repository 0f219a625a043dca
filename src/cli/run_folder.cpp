#include "cli/run_folder.hpp"

#include "cli/environment.hpp"
#include "error.hpp"
#include "files/atomic_file.hpp"
#include "files/durable.hpp"
#include "files/printable.hpp"
#include "files/strict_json.hpp"

#include <fcntl.h>
#include <fmt/ranges.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <system_error>

namespace opencd::cli {

namespace {

namespace fs = std::filesystem;
using files::in_quotes;

constexpr const char* kArguments = "args.json";

[[noreturn]] void fail_folder(const char* action, const fs::path& path, int error) {
  fail<FormatError>("[run] cannot {} {}: {}", action, in_quotes(path.native()),
                    files::explain_error(error));
}

void make_parents(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) fail_folder("make", path, error.value());
}

/// Makes ROOT/NAME, or NAME-2, NAME-3, ...: the first that nobody has, which mkdir settles.
fs::path make_numbered(const fs::path& root, const std::string& name) {
  make_parents(root);
  for (int number = 1;; ++number) {
    const fs::path path = root / (number == 1 ? name : fmt::format("{}-{}", name, number));
    if (::mkdir(path.c_str(), 0777) == 0) return path;
    if (errno != EEXIST) fail_folder("make", path, errno);
  }
}

/// Whether there is nothing in a folder but what a killed process left unfinished, which goes.
bool holds_nothing(const fs::path& folder) {
  bool empty = true;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (files::is_stale_temporary(entry.path().filename().native()) && entry.is_regular_file())
      fs::remove(entry.path());
    else
      empty = false;
  }
  return empty;
}

bool is_run(const fs::path& folder) { return fs::is_regular_file(folder / kArguments); }

/// args.json, with the parts that resuming looks at.
nlohmann::json read_arguments(const fs::path& run) {
  const fs::path file = run / kArguments;
  nlohmann::json arguments = files::read_json_file(file);
  if (!arguments.is_object() || !arguments.contains("verb") || !arguments["verb"].is_string() ||
      !arguments.contains("key_settings") || !arguments["key_settings"].is_object())
    fail<FormatError>("[run] {}: expected an object with \"verb\" and \"key_settings\"",
                      in_quotes(file.native()));
  return arguments;
}

/// Values compare as they will be read back, not in the order in which they were put down.
nlohmann::json as_read(const Json& value) { return nlohmann::json::parse(value.dump()); }

/// "seed: 1 in the run, 2 now" for every key that differs.
std::vector<std::string> differences(const nlohmann::json& before, const nlohmann::json& now) {
  std::vector<std::string> lines;
  const auto text = [](const nlohmann::json& object, const std::string& key) {
    return object.contains(key) ? files::printable(object.at(key).dump()) : "nothing";
  };
  nlohmann::json keys = before;
  keys.update(now);
  for (const auto& [key, unused] : keys.items())
    if (!before.contains(key) || !now.contains(key) || before.at(key) != now.at(key))
      lines.push_back(fmt::format("{}: {} in the run, {} now", files::printable(key),
                                  text(before, key), text(now, key)));
  return lines;
}

/// The run under `root` that was started last, of those with this verb and these key settings.
std::optional<fs::path> find_run(const RunRequest& request, std::vector<std::string>& notes) {
  std::optional<fs::path> newest;
  std::error_code error;
  for (fs::directory_iterator at(request.root, error), end; !error && at != end;
       at.increment(error)) {
    const fs::path run = at->path();
    if (!is_run(run)) continue;
    try {
      const nlohmann::json arguments = read_arguments(run);
      if (arguments["verb"] != request.verb ||
          arguments["key_settings"] != as_read(request.key_settings))
        continue;
    } catch (const FormatError& failure) {
      notes.push_back(fmt::format("passed over a run: {}", failure.what()));
      continue;
    }
    if (!newest ||
        fs::last_write_time(run / kArguments) > fs::last_write_time(*newest / kArguments))
      newest = run;
  }
  return newest;
}

}  // namespace

bool has_key_settings(const fs::path& folder, const Json& settings) {
  return read_arguments(folder)["key_settings"] == as_read(settings);
}

RunFolder::RunFolder(const RunRequest& request) {
  if (request.resume.empty())
    start_new(request);
  else if (request.resume == "auto")
    resume_newest(request);
  else
    resume_from(request);
  write_arguments(request);
}

void RunFolder::enter(const fs::path& run) {
  path_ = run;
  lock_ = files::FileDescriptor(::open(run.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!lock_.is_open()) fail_folder("open", run, errno);
  // File systems without locks say something else, and are trusted.
  if (::flock(lock_.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    fail<UsageError>("[run] another process is at work in {}; wait for it or choose another folder",
                     in_quotes(run.native()));
}

void RunFolder::start_new(const RunRequest& request) {
  if (request.out.empty()) {
    enter(make_numbered(request.root, request.name));
    return;
  }
  make_parents(request.out);
  enter(request.out);
  if (!holds_nothing(path_))
    fail<UsageError>(
        "[run] {} is not empty and nothing is ever overwritten; {}choose another folder",
        in_quotes(path_.native()),
        is_run(path_) ? "continue the run in it with --resume auto, or " : "");
}

void RunFolder::resume_newest(const RunRequest& request) {
  const std::optional<fs::path> run = request.out.empty()   ? find_run(request, notes_)
                                      : is_run(request.out) ? std::optional(request.out)
                                                            : std::nullopt;
  if (!run) {
    start_new(request);
    return;
  }
  compare_settings(*run, request);
  enter(*run);
  resumed_ = true;
  take_newest(*run);
}

void RunFolder::resume_from(const RunRequest& request) {
  std::error_code error;
  const fs::path path = fs::canonical(request.resume, error);  // follows checkpoints/last
  const auto position = files::parse_checkpoint_name(path.filename().native());
  const fs::path run = position ? path.parent_path().parent_path() : path;
  if (error || !is_run(run))
    fail<UsageError>(
        "[run] --resume: expected auto, a run (a folder with {}) or one of its checkpoints, got {}",
        kArguments, in_quotes(request.resume));
  compare_settings(run, request);
  const bool elsewhere = !request.out.empty() && !fs::equivalent(request.out, run, error);
  if (!elsewhere) {
    enter(run);
    resumed_ = true;
  }
  if (position)
    take_exactly({*position, path}, elsewhere);
  else
    take_newest(run);
  if (elsewhere) start_new(request);
}

void RunFolder::compare_settings(const fs::path& run, const RunRequest& request) {
  const nlohmann::json arguments = read_arguments(run);
  std::vector<std::string> changed =
      differences({{"verb", arguments["verb"]}}, {{"verb", request.verb}});
  if (!changed.empty())  // not even by force: its files mean something else
    fail<UsageError>("[run] {} is another kind of run: {}", in_quotes(run.native()), changed[0]);
  changed = differences(arguments["key_settings"], as_read(request.key_settings));
  if (changed.empty()) return;
  const std::string all = fmt::format("{}", fmt::join(changed, "; "));
  if (!request.force)
    fail<UsageError>("[run] {} was started with other settings: {}; --force continues it anyway",
                     in_quotes(run.native()), all);
  notes_.push_back(fmt::format("continued by force with other settings: {}", all));
}

void RunFolder::take_newest(const fs::path& run) {
  const files::CheckpointSearch search = files::find_newest_checkpoint(run / "checkpoints");
  for (const files::RefusedCheckpoint& refused : search.refused)
    notes_.push_back(fmt::format("refused checkpoint {}: {}", refused.name, refused.reason));
  checkpoint_ = search.newest;
}

void RunFolder::take_exactly(const files::Checkpoint& checkpoint, bool elsewhere) {
  files::verify_checkpoint(checkpoint.path);
  checkpoint_ = checkpoint;
  const auto newest = files::find_newest_checkpoint(checkpoint.path.parent_path()).newest;
  if (!elsewhere && newest->position > checkpoint.position)
    fail<UsageError>(
        "[run] {} has a later checkpoint, {}; continue from that with --resume {}, or from {} in "
        "another folder with -o",
        in_quotes(path_.native()), newest->name(), in_quotes(path_.native()), checkpoint.name());
}

void RunFolder::write_arguments(const RunRequest& request) const {
  const Json arguments = {{"verb", request.verb},
                          {"command_line", request.command_line},
                          {"started", utc_time()},
                          {"resumed_from", checkpoint_ ? Json(checkpoint_->path.string()) : Json()},
                          {"key_settings", request.key_settings},
                          {"settings", request.settings}};
  files::write_file(path_ / kArguments,
                    arguments.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

void RunFolder::write_environment(const Json& program) const {
  Json environment = program;
  environment.update(host_environment());
  files::write_file(path_ / "env.json",
                    environment.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

}  // namespace opencd::cli
