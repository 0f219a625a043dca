#include "cli/run_folder.hpp"

#include "cli/settings.hpp"
#include "error.hpp"
#include "files/strict_json.hpp"
#include "support/checkpoints.hpp"
#include "support/corruption.hpp"
#include "support/message.hpp"
#include "support/temporary_folder.hpp"

#include <doctest/doctest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>

namespace opencd::test {

using cli::RunFolder;
using cli::RunRequest;

namespace {

namespace fs = std::filesystem;

RunRequest request(const TemporaryFolder& folder, int seed = 1) {
  return {.verb = "train",
          .name = "toy",
          .root = folder / "runs",
          .key_settings = {{"seed", seed}, {"arch", "resnet18"}},
          .settings = {{"seed", {{"value", seed}, {"source", "flag"}}}},
          .command_line = {"train", "toy"}};
}

RunRequest resuming(RunRequest request, const std::string& resume, bool force = false) {
  request.resume = resume;
  request.force = force;
  return request;
}

RunRequest into(RunRequest request, const fs::path& out) {
  request.out = out;
  return request;
}

/// A run that was started and left checkpoints behind; its folder.
fs::path old_run(const RunRequest& request, int checkpoints) {
  const RunFolder run(request);
  files::CheckpointFolder folder(run.checkpoints(), {.keep_last = 0});
  for (int epoch = 1; epoch <= checkpoints; ++epoch) save_small(folder, {epoch, 0}, epoch);
  return run.path();
}

void set_age(const fs::path& run, int seconds) {
  fs::last_write_time(run / "args.json",
                      fs::file_time_type::clock::now() - std::chrono::seconds(seconds));
}

}  // namespace

TEST_SUITE_BEGIN("cli/run_folder");

TEST_CASE("every run gets a folder of its own and says what it was") {
  const TemporaryFolder folder;
  const RunFolder first(request(folder));
  const RunFolder second(request(folder));
  const RunFolder third(request(folder));
  CHECK_EQ(first.path(), folder / "runs/toy");
  CHECK_EQ(second.path(), folder / "runs/toy-2");
  CHECK_EQ(third.path(), folder / "runs/toy-3");
  CHECK_FALSE(first.resumed());
  CHECK_FALSE(first.checkpoint());
  const auto arguments = files::read_json_file(first.path() / "args.json");
  CHECK_EQ(arguments.at("verb"), "train");
  CHECK_EQ(arguments.at("command_line"), nlohmann::json({"train", "toy"}));
  CHECK_EQ(arguments.at("settings").at("seed").at("source"), "flag");
  first.write_environment({{"version", "1"}, {"device", {{"name", "cpu"}}}});
  const auto environment = files::read_json_file(first.path() / "env.json");
  for (const char* key :
       {"version", "device", "compiler", "os", "kernel", "cpu", "threads", "host", "started"})
    CHECK(environment.contains(key));
  CHECK_GT(environment.at("threads").get<int>(), 0);
}

TEST_CASE("processes that start at once get different folders") {
  const TemporaryFolder folder;
  constexpr int kProcesses = 8;
  for (int i = 0; i < kProcesses; ++i)
    if (::fork() == 0) {
      const RunFolder run(request(folder));
      ::_exit(0);
    }
  for (int i = 0; i < kProcesses; ++i) {
    int status = 0;
    ::wait(&status);
    CHECK_EQ(status, 0);
  }
  for (int i = 2; i <= kProcesses; ++i)
    CHECK(fs::exists(folder / ("runs/toy-" + std::to_string(i) + "/args.json")));
}

TEST_CASE("--out names the folder; one that holds anything is refused and not touched") {
  const TemporaryFolder folder;
  CHECK_EQ(old_run(into(request(folder), folder / "a/b"), 0), folder / "a/b");
  const auto again =
      message_of<UsageError>([&] { RunFolder(into(request(folder), folder / "a/b")); });
  CHECK_CONTAINS(again, "a/b\" is not empty");
  CHECK_CONTAINS(again, "--resume auto");
  fs::create_directories(folder / "photos");
  folder.put("photos/cat.jpg", "meow");
  for (const char* resume : {"", "auto"}) {
    const auto message = message_of<UsageError>(
        [&] { RunFolder(resuming(into(request(folder), folder / "photos"), resume)); });
    CHECK_CONTAINS(message, "photos\" is not empty");
  }
  CHECK_EQ(std::distance(fs::directory_iterator(folder / "photos"), {}), 1);
  // What a killed start left is no content.
  fs::create_directories(folder / "killed");
  folder.put("killed/.tmp-" + std::to_string(::getpid()) + "-7", "{");
  CHECK_NOTHROW(RunFolder(into(request(folder), folder / "killed")));
}

TEST_CASE("auto continues the run of the same settings that was started last") {
  const TemporaryFolder folder;
  CHECK_EQ(RunFolder(resuming(request(folder), "auto")).path(), folder / "runs/toy");  // none: new
  const fs::path older = old_run(request(folder), 2);
  const fs::path newer = old_run(request(folder), 3);
  const fs::path other = old_run(request(folder, 9), 4);
  set_age(folder / "runs/toy", 500);
  set_age(older, 200);
  set_age(newer, 100);
  const RunFolder run(resuming(request(folder), "auto"));
  CHECK_EQ(run.path(), newer);
  CHECK(run.resumed());
  CHECK_EQ(run.checkpoint()->name(), "epoch-0003");
  CHECK(run.notes().empty());
  CHECK_EQ(files::read_json_file(newer / "args.json").at("resumed_from"),
           (newer / "checkpoints/epoch-0003").string());
  RunRequest pretrain = request(folder);
  pretrain.verb = "pretrain";
  CHECK_FALSE(RunFolder(resuming(pretrain, "auto")).resumed());
}

TEST_CASE("auto passes over broken runs and says so; refused checkpoints are named") {
  const TemporaryFolder folder;
  const fs::path run = old_run(request(folder), 2);
  folder.put("runs/toy/checkpoints/epoch-0002/state.json", "{}");
  const fs::path broken = old_run(request(folder), 1);
  folder.put("runs/toy-2/args.json", "{");
  const RunFolder resumed(resuming(request(folder), "auto"));
  CHECK_EQ(resumed.path(), run);
  CHECK_EQ(resumed.checkpoint()->name(), "epoch-0001");
  REQUIRE_EQ(resumed.notes().size(), 2);
  CHECK_CONTAINS(resumed.notes()[0], "passed over a run: ");
  CHECK_CONTAINS(resumed.notes()[1], "refused checkpoint epoch-0002: ");
}

TEST_CASE("a run that was killed before its first checkpoint starts again in its folder") {
  const TemporaryFolder folder;
  const fs::path run = old_run(request(folder), 0);
  const RunFolder again(resuming(request(folder), "auto"));
  CHECK_EQ(again.path(), run);
  CHECK(again.resumed());
  CHECK_FALSE(again.checkpoint());
}

TEST_CASE("changed key settings are refused with both values, unless forced") {
  const TemporaryFolder folder;
  const fs::path run = old_run(request(folder), 1);
  RunRequest changed = request(folder, 2);
  changed.key_settings["prototypes"] = 50;
  for (const RunRequest& wanted :
       {resuming(changed, run.string()), resuming(into(changed, run), "auto")}) {
    const auto message = message_of<UsageError>([&] { const RunFolder refused(wanted); });
    CHECK_CONTAINS(message, "prototypes: nothing in the run, 50 now");
    CHECK_CONTAINS(message, "seed: 1 in the run, 2 now");
    CHECK_CONTAINS(message, "--force");
  }
  const RunFolder forced(resuming(changed, run.string(), true));
  CHECK(forced.resumed());
  CHECK_CONTAINS(forced.notes().at(0), "seed: 1 in the run, 2 now");
  changed.verb = "pretrain";
  CHECK_CONTAINS(message_of<UsageError>([&] { RunFolder(resuming(changed, run.string(), true)); }),
                 "another kind of run");
}

TEST_CASE("files are the same that have the same bytes, and both are named where they have not") {
  const TemporaryFolder folder;
  const auto wanted = [&](const std::string& name, const char* bytes) {
    RunRequest with = request(folder);
    with.key_settings["weights"] = cli::content_key(folder.put(name, bytes));
    return with;
  };
  const fs::path run = old_run(wanted("a.safetensors", "1"), 1);
  CHECK(RunFolder(resuming(wanted("b.safetensors", "1"), run.string())).resumed());
  const auto message = message_of<UsageError>(
      [&] { RunFolder(resuming(wanted("a.safetensors", "2"), run.string())); });
  CHECK_CONTAINS(message,
                 "weights: b.safetensors (SHA-256 6b86b273ff34) in the run, "
                 "a.safetensors (SHA-256 d4735e3a265e) now");
  CHECK_FALSE(RunFolder(resuming(wanted("a.safetensors", "2"), "auto")).resumed());
}

TEST_CASE(
    "a run of an older version is passed over by auto, refused by name, and goes on by force") {
  const TemporaryFolder folder;
  RunRequest before = request(folder);
  before.key_settings["data"] = "d";
  const fs::path run = old_run(before, 2);
  RunRequest now = before;
  now.key_settings.update({{"lr", 0.1}, {"weights", nullptr}, {cli::kNumbersKey, 2}});
  const auto message = message_of<UsageError>([&] { RunFolder(resuming(now, run.string())); });
  CHECK_CONTAINS(message,
                 "was started by an older version, which did not record lr, numbers, weights");
  CHECK_CONTAINS(message, "--force goes on with it anyway");
  const RunFolder anew(resuming(now, "auto"));
  CHECK_FALSE(anew.resumed());
  CHECK_CONTAINS(anew.notes().at(0), "a new run begins");
  CHECK_CONTAINS(anew.notes().at(0), "runs/toy\" --force goes on with it");
  const RunFolder forced(resuming(now, run.string(), true));
  CHECK_EQ(forced.checkpoint()->name(), "epoch-0002");
  CHECK_CONTAINS(forced.notes().at(0), "continued by force: the run was started by an older");
}

TEST_CASE("a run remembers what --force let pass") {
  const TemporaryFolder folder;
  const fs::path run = old_run(request(folder, 1), 1);
  const auto forced = [&] { return files::read_json_file(run / "args.json").at("forced"); };
  CHECK(forced().empty());
  {
    const RunFolder other(resuming(request(folder, 2), run.string(), true));
  }
  {
    const RunFolder same(resuming(request(folder, 2), run.string()));
  }
  REQUIRE_EQ(forced().size(), 1);
  CHECK_EQ(forced()[0], "was started with other settings: seed: 1 in the run, 2 now");
}

TEST_CASE("auto says how the newest run on the same data differs when it begins anew") {
  const TemporaryFolder folder;
  const auto with = [&](double rate, const char* data) {
    RunRequest made = request(folder);
    made.key_settings.update({{"lr", rate}, {"data", data}, {cli::kNumbersKey, 2}});
    return made;
  };
  set_age(old_run(with(0.1, "here"), 1), 100);
  set_age(old_run(with(0.2, "here"), 1), 50);
  set_age(old_run(with(0.3, "there"), 1), 10);
  const RunFolder run(resuming(with(0.4, "here"), "auto"));
  CHECK_FALSE(run.resumed());
  REQUIRE_EQ(run.notes().size(), 1);
  CHECK_CONTAINS(run.notes()[0],
                 "runs/toy-2\", was started with other settings: lr: 0.2 in the run, "
                 "0.4 now");
  CHECK(RunFolder(resuming(with(0.5, "nowhere"), "auto")).notes().empty());
}

TEST_CASE("another machine is told of, not refused") {
  const TemporaryFolder folder;
  const auto start = [&](const char* device, const char* version) {
    const RunFolder run(resuming(request(folder), "auto"));
    return run.write_environment(
        {{"version", version}, {"device", {{"name", device}, {"driver", "7"}}}});
  };
  CHECK(start("cpu", "1").empty());
  CHECK(start("cpu", "1").empty());
  const auto moved = start("gpu", "1");
  REQUIRE_EQ(moved.size(), 1);
  CHECK_EQ(moved[0], "device: \"cpu\" then, \"gpu\" now");
  folder.put("runs/toy/env.json", "[");
  CHECK_CONTAINS(start("gpu", "1").at(0), "does not read");
  for (const std::string& value : json_of_every_type()) {
    folder.put("runs/toy/env.json", value);
    CHECK_NOTHROW(start("gpu", "1"));
  }
}

TEST_CASE("a damaged args.json is refused by name, or says something else than the command") {
  const TemporaryFolder folder;
  const fs::path run = old_run(request(folder), 1);
  std::vector<std::string> damaged =
      corruptions(R"({"verb": "train", "key_settings": {"seed": 1, "arch": "resnet18"}})");
  for (const char* key : {"verb", "key_settings"})
    for (const std::string& value : json_of_every_type()) {
      nlohmann::json broken = {{"verb", "train"}, {"key_settings", {{"seed", 1}}}};
      broken[key] = nlohmann::json::parse(value);
      damaged.push_back(broken.dump());
    }
  for (const std::string& value : json_of_every_type()) damaged.push_back(value);
  std::size_t refused = 0;
  for (const std::string& bytes : damaged) {
    CAPTURE(bytes);
    folder.put("runs/toy/args.json", bytes);
    try {
      const RunFolder resumed(resuming(request(folder), run.string()));
      CHECK(contains(bytes, "key_settings"));  // blank for blank, and the like
    } catch (const FormatError& error) {
      CHECK_CONTAINS(error.what(), "runs/toy/args.json");
      ++refused;
    } catch (const UsageError& error) {
      CHECK_CONTAINS(error.what(), "runs/toy\" ");
      ++refused;
    }
  }
  CHECK_GT(refused, damaged.size() / 2);
}

TEST_CASE("a path is a run or one of its checkpoints") {
  const TemporaryFolder folder;
  const fs::path run = old_run(request(folder), 3);
  const auto resumed = [&](const fs::path& path) {
    return RunFolder(resuming(request(folder), path.string())).checkpoint()->name();
  };
  CHECK_EQ(resumed(run), "epoch-0003");
  CHECK_EQ(resumed(run / "checkpoints/last"), "epoch-0003");
  CHECK_EQ(resumed(run / "checkpoints/epoch-0003"), "epoch-0003");
  CHECK_CONTAINS(message_of<UsageError>([&] { resumed(run / "checkpoints/epoch-0001"); }),
                 "has a later checkpoint, epoch-0003");
  for (const fs::path& path : {run / "checkpoints", folder.path(), folder / "no"})
    CHECK_CONTAINS(message_of<UsageError>([&] { resumed(path); }), "expected auto, a run");
  folder.put("runs/toy/checkpoints/epoch-0003/state.json", "{}");
  CHECK_THROWS_AS(resumed(run / "checkpoints/last"), FormatError);
}

TEST_CASE("an older checkpoint can be continued in another folder") {
  const TemporaryFolder folder;
  const fs::path run = old_run(request(folder), 3);
  const std::string old = (run / "checkpoints/epoch-0001").string();
  const RunFolder branch(resuming(into(request(folder), folder / "branch"), old));
  CHECK_EQ(branch.path(), folder / "branch");
  CHECK_FALSE(branch.resumed());
  CHECK_EQ(branch.checkpoint()->path, fs::canonical(old));
}

TEST_CASE("a run that another process is at work in is refused") {
  const TemporaryFolder folder;
  const RunFolder running(request(folder));
  const auto message =
      message_of<UsageError>([&] { RunFolder(resuming(request(folder), "auto")); });
  CHECK_CONTAINS(message, "another process is at work in ");
}

TEST_SUITE_END();

}  // namespace opencd::test
