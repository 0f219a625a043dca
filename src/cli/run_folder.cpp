#include "cli/run_folder.hpp"

#include "cli/environment.hpp"
#include "cli/settings.hpp"
#include "error.hpp"
#include "files/atomic_file.hpp"
#include "files/durable.hpp"
#include "files/printable.hpp"
#include "files/sha256.hpp"
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

bool is_content_key(const nlohmann::json& value) {
  return value.is_object() && value.contains("file") && value.contains("sha256");
}

/// Files are equal that have the same bytes, whatever they are called.
bool is_same(const nlohmann::json& before, const nlohmann::json& now) {
  if (is_content_key(before) && is_content_key(now)) return before["sha256"] == now["sha256"];
  return before == now;
}

/// A value as people read it: of a sum enough digits to tell two apart.
std::string value_text(const nlohmann::json& value) {
  constexpr std::size_t kDigits = 12;
  if (value.is_null()) return "none";
  if (!is_content_key(value) || !value["file"].is_string() || !value["sha256"].is_string())
    return files::printable(value.dump());
  return fmt::format("{} (SHA-256 {})", files::printable(value["file"].get<std::string>()),
                     files::printable(value["sha256"].get<std::string>().substr(0, kDigits)));
}

/// How key settings differ.
struct Differences {
  std::vector<std::string> changed;     // "seed: 1 in the run, 2 now"
  std::vector<std::string> unrecorded;  // names of keys that an older program did not record

  bool none() const { return changed.empty() && unrecorded.empty(); }
  /// "was started with other settings: ..."
  std::string text() const {
    std::string text;
    if (!changed.empty())
      text = fmt::format("was started with other settings: {}", fmt::join(changed, "; "));
    if (!unrecorded.empty())
      text += fmt::format("{}was started by an older version, which did not record {}",
                          text.empty() ? "" : "; it ", fmt::join(unrecorded, ", "));
    return text;
  }
};

Differences differences(const nlohmann::json& before, const nlohmann::json& now) {
  Differences result;
  const bool older = !before.contains(kNumbersKey) && now.contains(kNumbersKey);
  nlohmann::json keys = before;
  keys.update(now);
  for (const auto& [key, unused] : keys.items()) {
    const std::string name = files::printable(key);
    if (!before.contains(key) && older)
      result.unrecorded.push_back(name);
    else if (!before.contains(key))
      result.changed.push_back(
          fmt::format("{}: nothing in the run, {} now", name, value_text(now.at(key))));
    else if (!now.contains(key))
      result.changed.push_back(
          fmt::format("{}: {} in the run, nothing now", name, value_text(before.at(key))));
    else if (!is_same(before.at(key), now.at(key)))
      result.changed.push_back(fmt::format("{}: {} in the run, {} now", name,
                                           value_text(before.at(key)), value_text(now.at(key))));
  }
  return result;
}

/// Looks through the runs under a folder for the one that a command goes on with.
class RunSearch {
 public:
  RunSearch(const RunRequest& request, std::vector<std::string>& notes)
      : request_(request), now_(as_read(request.key_settings)), notes_(notes) {}

  /// The run of this verb and these key settings that was started last. If there is none, a note tells of the newest
  /// run on the same data, for which the user may have taken it.
  std::optional<fs::path> run() {
    std::error_code error;
    for (fs::directory_iterator at(request_.root, error), end; !error && at != end;
         at.increment(error))
      if (is_run(at->path())) look_at(at->path());
    if (found_.path.empty() && !other_.path.empty())
      notes_.push_back(fmt::format(
          "a new run begins: no run under {} has these settings; the newest on these data, {}, "
          "{}{}",
          in_quotes(request_.root.native()), in_quotes(other_.path.native()), difference_.text(),
          difference_.changed.empty() ? fmt::format("; --resume {} --force goes on with it",
                                                    in_quotes(other_.path.native()))
                                      : ""));
    return found_.path.empty() ? std::nullopt : std::optional(found_.path);
  }

 private:
  struct Newest {
    fs::path path;
    fs::file_time_type started;

    bool take(const fs::path& run) {
      const fs::file_time_type time = fs::last_write_time(run / kArguments);
      if (!path.empty() && time <= started) return false;
      path = run;
      started = time;
      return true;
    }
  };

  void look_at(const fs::path& run) {
    try {
      const nlohmann::json arguments = read_arguments(run);
      if (arguments["verb"] != request_.verb) return;
      const nlohmann::json& before = arguments["key_settings"];
      const Differences difference = differences(before, now_);
      const bool same_data =
          before.value("data", nlohmann::json()) == now_.value("data", nlohmann::json());
      if (difference.none())
        found_.take(run);
      else if (same_data && other_.take(run))
        difference_ = difference;
    } catch (const FormatError& failure) {
      notes_.push_back(fmt::format("passed over a run: {}", failure.what()));
    }
  }

  const RunRequest& request_;
  const nlohmann::json now_;
  std::vector<std::string>& notes_;
  Newest found_;
  Newest other_;  // the newest of other settings
  Differences difference_;
};

/// Differences between two env.json that may change the last digits of numbers.
std::vector<std::string> machine_differences(const nlohmann::json& before,
                                             const nlohmann::json& now) {
  std::vector<std::string> lines;
  for (const auto& [name, place] :
       {std::pair{"device", "/device/name"}, std::pair{"driver", "/device/driver"},
        std::pair{"threads", "/threads"}, std::pair{"processor", "/cpu"},
        std::pair{"libraries", "/libraries"}, std::pair{"version", "/version"}}) {
    const nlohmann::json::json_pointer pointer(place);
    if (!before.contains(pointer) || !now.contains(pointer)) continue;
    if (before.at(pointer) != now.at(pointer))
      lines.push_back(fmt::format("{}: {} then, {} now", name, value_text(before.at(pointer)),
                                  value_text(now.at(pointer))));
  }
  return lines;
}

}  // namespace

Json content_key(const fs::path& file) {
  if (file.empty()) return {};
  return {{"file", file.filename().string()}, {"sha256", files::sha256_of_file(file)}};
}

bool has_key_settings(const fs::path& folder, const Json& settings) {
  return differences(read_arguments(folder)["key_settings"], as_read(settings)).none();
}

void require_key_settings(const fs::path& folder, const Json& settings) {
  const Differences found = differences(read_arguments(folder)["key_settings"], as_read(settings));
  if (!found.none())
    fail<UsageError>("[run] {} {}; choose another folder, or --force goes on with it anyway",
                     in_quotes(folder.native()), found.text());
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
  const std::optional<fs::path> run = request.out.empty()   ? RunSearch(request, notes_).run()
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
  if (arguments["verb"] != request.verb)  // not even by force: its files mean something else
    fail<UsageError>("[run] {} is another kind of run: verb: {} in the run, {} now",
                     in_quotes(run.native()), files::printable(arguments["verb"].dump()),
                     in_quotes(request.verb));
  if (!request.force) require_key_settings(run, request.key_settings);
  if (arguments.contains("forced") && arguments["forced"].is_array()) forced_ = arguments["forced"];
  const Differences found = differences(arguments["key_settings"], as_read(request.key_settings));
  if (found.none()) return;
  notes_.push_back(fmt::format("continued by force: the run {}", found.text()));
  forced_.push_back(found.text());
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
                          {"forced", forced_},
                          {"settings", request.settings}};
  files::write_file(path_ / kArguments,
                    arguments.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

std::vector<std::string> RunFolder::write_environment(const Json& program) const {
  Json environment = program;
  environment.update(host_environment());
  const std::string text = environment.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  const fs::path file = path_ / "env.json";
  std::vector<std::string> changed;
  try {
    if (resumed_ && fs::exists(file))
      changed = machine_differences(files::read_json_file(file), nlohmann::json::parse(text));
  } catch (const FormatError&) {
    changed = {"env.json of the last start does not read"};  // nothing depends on it
  }
  files::write_file(file, text);
  return changed;
}

}  // namespace opencd::cli
