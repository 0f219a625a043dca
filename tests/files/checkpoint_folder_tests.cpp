#include "files/checkpoint_folder.hpp"

#include "error.hpp"
#include "files/input_file.hpp"
#include "support/checkpoints.hpp"
#include "support/message.hpp"
#include "support/skip.hpp"
#include "support/small_disk.hpp"
#include "support/system_faults.hpp"
#include "support/temporary_folder.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <map>

namespace opencd::test {

using namespace files;

namespace {
namespace fs = std::filesystem;

/// Names in a folder, hidden ones included.
std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

using Names = std::vector<std::string>;

std::string seed_of(const Checkpoint& checkpoint) {
  return read_text_file(checkpoint.path / "state.json", 1 << 20).substr(0, 10);
}

/// The number of a process that is no more.
pid_t dead_process() {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);
  return child;
}
}  // namespace

TEST_SUITE_BEGIN("files/checkpoint_folder");

TEST_CASE("the newest are kept, and the best, and links point to them") {
  const TemporaryFolder folder;
  CheckpointFolder checkpoints(folder / "a/checkpoints", {.keep_last = 2});
  for (int epoch = 1; epoch <= 3; ++epoch) save_small(checkpoints, {epoch, 0}, epoch);
  CHECK_EQ(names_in(checkpoints.path()), Names{"epoch-0002", "epoch-0003", "last"});
  CHECK_FALSE(checkpoints.best());
  checkpoints.mark_best({{2, 0}, checkpoints.path() / "epoch-0002"});
  save_small(checkpoints, {3, 7});
  save_small(checkpoints, {4, 0});
  CHECK_EQ(names_in(checkpoints.path()),
           Names{"best", "epoch-0002", "epoch-0003-step-00007", "epoch-0004", "last"});
  CHECK_EQ(fs::read_symlink(checkpoints.path() / "last"), "epoch-0004");
  CHECK_EQ(checkpoints.best()->name(), "epoch-0002");
  CHECK_EQ(checkpoints.newest_valid().newest->name(), "epoch-0004");
}

TEST_CASE("a checkpoint of the same position takes the place of the old one") {
  const TemporaryFolder folder;
  CheckpointFolder checkpoints(folder / "c");
  save_small(checkpoints, {1, 0}, 1);
  CHECK_EQ(seed_of(save_small(checkpoints, {1, 0}, 2)), "{\"seed\": 2");
  CHECK_EQ(names_in(checkpoints.path()), Names{"epoch-0001", "last"});
  CHECK_NOTHROW(verify_checkpoint(checkpoints.path() / "epoch-0001"));
}

TEST_CASE("what the program did not write is never removed") {
  const TemporaryFolder folder;
  const fs::path path = folder / "c";
  CheckpointFolder checkpoints(path, {.keep_last = 1});
  save_small(checkpoints, {1, 0});
  folder.put("c/epoch-0001/notes.txt", "mine");  // a checkpoint with a file of the user's
  fs::create_directories(path / "epoch-0002");   // no sums
  folder.put("c/epoch-0002/model.safetensors", "mine");
  folder.put("c/.tmp-1-notes", "mine");  // no name of ours
  const std::string stale = ".tmp-" + std::to_string(dead_process()) + "-0";
  fs::create_directories(path / stale);
  folder.put("c/" + stale + "/thesis.tex", "mine");
  CheckpointFolder again(path, {.keep_last = 1});
  save_small(again, {3, 0});
  save_small(again, {4, 0});
  CHECK_EQ(names_in(path),
           Names{".tmp-1-notes", stale, "epoch-0001", "epoch-0002", "epoch-0004", "last"});
  CHECK_CONTAINS(message_of<FormatError>([&] { save_small(again, {1, 0}); }),
                 "epoch-0001\" is in the way");
  CHECK(fs::exists(path / "epoch-0001/notes.txt"));
}

TEST_CASE("refused checkpoints are neither counted nor removed") {
  const TemporaryFolder folder;
  CheckpointFolder checkpoints(folder / "c", {.keep_last = 2});
  save_small(checkpoints, {1, 0});
  save_small(checkpoints, {2, 0});
  folder.put("c/epoch-0002/state.json", "{}");
  CHECK_EQ(checkpoints.newest_valid().newest->name(), "epoch-0001");
  save_small(checkpoints, {3, 0});
  CHECK_EQ(names_in(checkpoints.path()), Names{"epoch-0001", "epoch-0002", "epoch-0003", "last"});
  // Reached again, its place is taken.
  save_small(checkpoints, {2, 0});
  CHECK_NOTHROW(verify_checkpoint(checkpoints.path() / "epoch-0002"));
}

TEST_CASE(
    "what a killed process left is removed at the next start, what a living one writes is not") {
  const TemporaryFolder folder;
  const fs::path path = folder / "c";
  CheckpointFolder checkpoints(path);
  save_small(checkpoints, {1, 0}, 1);
  const pid_t child = ::fork();
  if (child == 0) {
    CheckpointFolder(path).save({2, 0}, 0, [](const fs::path& temporary) {
      write_file(temporary / "model.safetensors", "half");
      const AtomicFile unfinished(temporary / "state.json");
      ::raise(SIGKILL);
    });
  }
  ::waitpid(child, nullptr, 0);
  CHECK_EQ(names_in(path).size(), 3);
  const std::string living = ".tmp-" + std::to_string(::getppid()) + "-0";
  fs::create_directories(path / living);
  CheckpointFolder again(path);
  CHECK_EQ(names_in(path), Names{living, "epoch-0001", "last"});
  CHECK_EQ(seed_of(*again.newest_valid().newest), "{\"seed\": 1");
}

TEST_CASE("whichever call fails, a whole checkpoint is found, and the message tells how to go on") {
  std::map<std::string, int> failures;
  for (const bool replace : {false, true}) {
    const CheckpointPosition position = {replace ? 1 : 2, 0};
    for (int nth = 1;; ++nth) {
      CAPTURE(replace);
      CAPTURE(nth);
      const TemporaryFolder folder;
      const fs::path path = folder / "c";
      CheckpointFolder checkpoints(path, {.keep_last = 1});
      save_small(checkpoints, {1, 0}, 1);
      std::string message;
      std::string call;
      {
        const Faults faults(nth, EIO);
        try {
          save_small(checkpoints, position, 2);
        } catch (const FormatError& error) {
          message = error.what();
        }
        call = faults.failed_call();
      }
      if (call.empty()) break;
      CAPTURE(call);
      ++failures[call];
      CheckpointFolder again(path);
      const CheckpointSearch search = again.newest_valid();
      CHECK(search.refused.empty());
      REQUIRE(search.newest);
      for (const std::string& name : names_in(path)) CHECK_FALSE(name.starts_with(".tmp"));
      if (!message.empty()) {
        CHECK_CONTAINS(message, checkpoint_name(position) + " was not saved: ");
        CHECK_CONTAINS(message, "Input/output error");
        CHECK_CONTAINS(message, " is intact: mend this and continue with --resume auto");
      } else {
        CHECK_EQ(call, "close");  // of a descriptor that was only read from
        CHECK_EQ(seed_of(*search.newest), "{\"seed\": 2");
      }
    }
  }
  for (const char* call : {"fallocate", "write", "fsync", "close", "rename"}) {
    CAPTURE(call);
    CHECK_GT(failures[call], 3);
  }
}

TEST_CASE("a failure of the one who writes leaves nothing behind and keeps its kind") {
  const TemporaryFolder folder;
  CheckpointFolder checkpoints(folder / "c");
  CHECK_THROWS_AS(checkpoints.save({1, 0}, 0, [](const fs::path&) { throw NonFiniteError("nan"); }),
                  NonFiniteError);
  CHECK_EQ(names_in(checkpoints.path()), Names{});
  const std::string message = message_of<FormatError>([&] {
    checkpoints.save({1, 0}, 0,
                     [](const fs::path& at) { write_file(at / "model.safetensors", "x"); });
  });
  CHECK_CONTAINS(message, "state.safetensors\" to the disk: No such file");
  CHECK_CONTAINS(message, "there is none yet");
  CHECK_EQ(names_in(checkpoints.path()), Names{});
}

TEST_CASE("a full disk is seen before the work, or in it; the last checkpoint stays") {
  const TemporaryFolder folder;
  const auto refuses = [](const auto& action, const char* part) {
    try {
      action();
    } catch (const FormatError& error) {
      const std::string text = error.what();
      return contains(text, part) && contains(text, "free ") &&
             contains(text, "epoch-0001 is intact");
    }
    return false;
  };
  const int outcome = on_small_disk(folder, [&] {  // 64 KiB
    CheckpointFolder checkpoints(folder / "c");
    save_small(checkpoints, {1, 0}, 1);
    const auto large = [](const fs::path& at) {
      write_file(at / "model.safetensors", std::string(100'000, 'x'));
    };
    return refuses([&] { checkpoints.save({2, 0}, 100'000, large); }, "takes 0.1 MiB and ") &&
           refuses([&] { checkpoints.save({2, 0}, 0, large); }, "No space left") &&
           checkpoints.newest_valid().newest->name() == "epoch-0001" &&
           names_in(checkpoints.path()) == Names{"epoch-0001", "last"};
  });
  if (outcome == not_mounted) SKIP_CASE("this user may not mount a small file system");
  CHECK_EQ(outcome, as_claimed);
}

TEST_SUITE_END();

}  // namespace opencd::test
