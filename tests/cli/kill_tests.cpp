// Run folder, checkpoints and metrics together: a run that is killed again and again and resumed ends with the
// same files as one that was not. Training itself is a number here that every step changes.
#include "cli/run_folder.hpp"
#include "files/checkpoint_folder.hpp"
#include "files/input_file.hpp"
#include "files/metrics_log.hpp"
#include "files/strict_json.hpp"
#include "support/checkpoints.hpp"
#include "support/temporary_folder.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <random>

namespace opencd::test {

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kEpochs = 4;
constexpr std::int64_t kSteps = 9;      // an epoch
constexpr std::int64_t kSaveEvery = 4;  // steps, and at the end of an epoch

void save(files::CheckpointFolder& folder, std::int64_t step, std::uint64_t state) {
  folder.save({step / kSteps, step % kSteps}, 8192, [&](const fs::path& path) {
    checkpoint_writer(static_cast<int>(state % 1000))(path);
    files::write_file(path / "state.json",
                      fmt::format("{{\"state\": {}, \"step\": {}}}", state, step));
  });
}

/// What `train --resume auto` does, without the training.
void train(const fs::path& root) {
  const cli::RunFolder run({.verb = "train", .name = "toy", .root = root, .resume = "auto"});
  std::uint64_t state = 1;
  std::int64_t step = 0;
  if (run.checkpoint()) {
    const auto saved = files::read_json_file(run.checkpoint()->path / "state.json");
    state = saved.at("state");
    step = saved.at("step");
  }
  files::CheckpointFolder checkpoints(run.checkpoints());
  files::MetricsLog metrics(run.path(), {.columns = {"train/loss"}, .resume_step = step});
  while (step < kEpochs * kSteps) {
    ++step;
    state = state * 6364136223846793005u + static_cast<std::uint64_t>(step);
    metrics.add({step, (step - 1) / kSteps, {{"train/loss", static_cast<double>(state % 1000)}}});
    if (step % kSaveEvery != 0 && step % kSteps != 0) continue;
    metrics.sync();
    save(checkpoints, step, state);
  }
}

/// Trains in a process of its own, which is killed after a while; whether it ended before.
bool train_and_kill(const fs::path& root, useconds_t microseconds) {
  const pid_t child = ::fork();
  if (child == 0) {
    train(root);
    ::_exit(0);
  }
  ::usleep(microseconds);
  ::kill(child, SIGKILL);
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void check_same_outcome(const fs::path& run, const fs::path& other) {
  for (const char* name : {"metrics.jsonl", "metrics.csv", "checkpoints/last/model.safetensors",
                           "checkpoints/last/state.json", "checkpoints/last/SHA256SUMS"}) {
    CAPTURE(name);
    CHECK_EQ(files::read_text_file(run / name, 1 << 20),
             files::read_text_file(other / name, 1 << 20));
  }
}

}  // namespace

TEST_SUITE_BEGIN("cli/kill");

TEST_CASE("killed at thirty random moments and resumed, a run ends as one that was not") {
  const TemporaryFolder folder;
  train(folder / "whole");
  std::mt19937 random(7);
  std::uniform_int_distribution<useconds_t> pause(0, 60'000);
  int kills = 0;
  for (int i = 0; i < 30; ++i) kills += train_and_kill(folder / "killed", pause(random)) ? 0 : 1;
  CHECK_GT(kills, 0);
  train(folder / "killed");
  // A kill between mkdir and args.json leaves an empty folder, and the run is then toy-2.
  fs::path run = folder / "killed/toy";
  for (int number = 2; !fs::exists(run / "args.json"); ++number)
    run = folder / ("killed/toy-" + std::to_string(number));
  check_same_outcome(run, folder / "whole/toy");
  for (const auto& entry : fs::recursive_directory_iterator(run / "checkpoints"))
    CHECK_FALSE(entry.path().filename().native().starts_with(".tmp"));
  MESSAGE(kills << " kills");
}

TEST_SUITE_END();

}  // namespace opencd::test
