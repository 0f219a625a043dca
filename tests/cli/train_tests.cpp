// `train` as a user runs it: what it leaves, what it refuses, and that no kill loses a run.
#include "files/sha256.hpp"
#include "support/message.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <map>
#include <random>

namespace opencd::test {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

using Options = std::map<std::string, std::string>;

const Options kSmall = {{"--width", "4"},           {"--batch", "32"},
                        {"--epochs", "4"},          {"--crop", "0"},
                        {"--prototypes", "16"},     {"--warm-epochs", "1"},
                        {"--grouping-epochs", "3"}, {"--classes", "4"},
                        {"--labeled-ratio", "0.3"}, {"--freeze-until", "stage2"},
                        {"--save-every", "1"},      {"--progress", "never"}};

/// A run of a second or two in `folder`, with some options changed or added; an empty value is a flag.
ProcessResult train(const fs::path& folder, Options more = {}, ProcessOptions process = {}) {
  more.insert(kSmall.begin(), kSmall.end());
  std::vector<std::string> arguments = {"train", "synthetic:classes=4,per-class=40,size=12"};
  for (const auto& [name, value] : more) {
    arguments.push_back(name);
    if (!value.empty()) arguments.push_back(value);
  }
  process.folder = folder.string();
  return opencd(arguments, process);
}

std::string sum_of_last_model(const fs::path& run) {
  return files::sha256_of_file(run / "checkpoints/last/model.safetensors");
}

/// The model at the end of a run that nothing happened to.
const std::string& unbroken_model() {
  static const std::string sum = [] {
    const TemporaryFolder folder;
    REQUIRE_EQ(train(folder.path(), {{"-o", "run"}}).exit_code, 0);
    return sum_of_last_model(folder / "run");
  }();
  return sum;
}

}  // namespace

TEST_SUITE_BEGIN("cli/train");

TEST_CASE("a run leaves everything that the contract names, and finds the classes") {
  const TemporaryFolder folder;
  const ProcessResult result = train(folder.path(), {{"--json", ""}});
  REQUIRE_EQ(result.exit_code, 0);
  const Json summary = Json::parse(result.out);
  CHECK_EQ(summary.at("classes_found"), 4);
  CHECK_EQ(summary.at("classes_interval"), Json::array({4, 4}));
  CHECK_GT(summary.at("orca").at("all").get<double>(), 0.25);  // chance
  const fs::path run = folder / "runs/train-synthetic";
  for (const char* name :
       {"args.json", "env.json", "splits.json", "log.txt", "metrics.jsonl", "metrics.csv",
        "checkpoints/last/model.safetensors", "checkpoints/last/state.safetensors",
        "checkpoints/last/state.json", "checkpoints/last/SHA256SUMS", "checkpoints/best",
        "eval/summary.json", "eval/confusion.csv", "eval/per_class.csv", "eval/predictions.csv"}) {
    CAPTURE(name);
    CHECK(fs::exists(run / name));
  }
  CHECK_EQ(json_of(run / "eval/summary.json").at("orca"), summary.at("orca"));
  const Json state = json_of(run / "checkpoints/last/state.json");
  CHECK_EQ(state.at("training").at("method").at("group_of").size(), 16);
  CHECK_EQ(state.at("model").at("class_names").size(), 4);
}

TEST_CASE("the same seed gives the same bits, another seed others") {
  const TemporaryFolder folder;
  CHECK_EQ(train(folder.path(), {{"-o", "a"}}).exit_code, 0);
  CHECK_EQ(train(folder.path(), {{"-o", "b"}, {"--seed", "7"}}).exit_code, 0);
  CHECK_EQ(sum_of_last_model(folder / "a"), unbroken_model());
  CHECK_NE(sum_of_last_model(folder / "b"), unbroken_model());
}

TEST_CASE("SIGTERM saves and ends with 143; --resume auto ends as if nothing had been") {
  const TemporaryFolder folder;
  // So many epochs that the signal comes in time on any machine; the run is then told to end sooner.
  const Options endless = {{"-o", "run"}, {"--epochs", "100000"}};
  const ProcessResult stopped =
      train(folder.path(), endless, {.signal = SIGTERM, .after_seconds = 6.0});
  CHECK_EQ(stopped.exit_code, 143);
  CHECK(fs::exists(folder / "run/checkpoints/last/SHA256SUMS"));
  const auto seconds = [&] {
    return json_of(folder / "run/time.json").at("seconds").get<double>();
  };
  const double before = seconds();
  CHECK_GT(before, 1.0);
  const ProcessResult again =
      train(folder.path(), {{"-o", "run"}, {"--epochs", "100000"}, {"--resume", "auto"}},
            {.signal = SIGINT, .after_seconds = 6.0});
  CHECK_EQ(again.exit_code, 130);
  CHECK(contains(again.err, "resumed from"));
  CHECK_GT(seconds(), before + 1.0);  // of both
}

TEST_CASE("killed at random moments and resumed, a run ends with the same model") {
  const TemporaryFolder folder;
  const char* wanted = std::getenv("OPENCD_TEST_KILLS");
  const int kills = wanted != nullptr ? std::atoi(wanted) : 3;
  std::mt19937 random(11);
  std::uniform_real_distribution<double> pause(0.3, 2.5);
  for (int hits = 0; hits < kills;) {
    const ProcessResult result =
        train(folder.path(), {{"-o", "run"}, {"--resume", "auto"}, {"--save-minutes", "0.0001"}},
              {.signal = SIGKILL, .after_seconds = pause(random)});
    if (result.exit_code == 128 + SIGKILL) {
      ++hits;
      continue;
    }
    // It ended before the kill: the next one begins anew, so that every kill meets a living run.
    REQUIRE_EQ(result.exit_code, 0);
    CHECK_EQ(sum_of_last_model(folder / "run"), unbroken_model());
    fs::remove_all(folder / "run");
  }
  CHECK_EQ(train(folder.path(), {{"-o", "run"}, {"--resume", "auto"}}).exit_code, 0);
  CHECK_EQ(sum_of_last_model(folder / "run"), unbroken_model());
}

TEST_CASE("a run of other settings is not continued, and nothing in it changes") {
  const TemporaryFolder folder;
  REQUIRE_EQ(train(folder.path(), {{"-o", "run"}, {"--epochs", "1"}}).exit_code, 0);
  const std::string before = sum_of_last_model(folder / "run");
  CHECK_EQ(train(folder.path(), {{"-o", "run"}}).exit_code, 2);  // not empty
  const ProcessResult result =
      train(folder.path(), {{"-o", "run"}, {"--resume", "auto"}, {"--prototypes", "20"}});
  CHECK_EQ(result.exit_code, 2);
  CHECK(contains(result.err, "prototypes"));
  CHECK_EQ(sum_of_last_model(folder / "run"), before);
}

TEST_CASE("settings that cannot work end with 2 and a sentence, before a folder is made") {
  const TemporaryFolder folder;
  const struct {
    Options options;
    std::string says;
  } cases[] = {
      {{{"--known", "9"}}, "9 known classes"},
      {{{"--prototypes", "3"}}, "3 prototypes cannot stand for 4 classes"},
      {{{"--classes", "1"}}, "--classes 1 is fewer than the 2 known classes"},
      {{{"--classes", "many"}}, "expected auto or a number"},
      {{{"--batch", "4096"}}, "choose a smaller batch"},
      {{{"--tau", "0"}}, "--tau"},
      {{{"--arch", "resnet99"}}, "resnet99"},
      {{{"--width", "0.5"}}, "--width"},
      {{{"--epoch", "3"}}, "did you mean --epochs?"},
      {{{"--method", "magic"}}, "--method"},
  };
  for (const auto& [options, says] : cases) {
    CAPTURE(says);
    const ProcessResult result = train(folder.path(), options);
    CHECK_EQ(result.exit_code, 2);
    CHECK_MESSAGE(contains(result.err, says), result.err);
  }
  CHECK_EQ(train(folder.path(), {{"--weights", "/nonexistent.safetensors"}}).exit_code, 3);
  CHECK_FALSE(fs::exists(folder / "runs"));
}

TEST_SUITE_END();

}  // namespace opencd::test
