// `train` as a user runs it: what it leaves, what it refuses, and that no kill loses a run.
#include "cli/beaten_answers.hpp"
#include "files/sha256.hpp"
#include "support/message.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <map>
#include <random>
#include <set>

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

TEST_CASE("a run leaves everything that the contract names") {
  const TemporaryFolder folder;
  const ProcessResult result = train(folder.path(), {{"--json", ""}});
  REQUIRE_EQ(result.exit_code, 0);
  const Json summary = Json::parse(result.out);
  CHECK_EQ(summary.at("classes_found"), 4);
  CHECK_EQ(summary.at("classes_interval"), Json::array({4, 4}));
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

TEST_CASE("training beats chance, one group for all, and k-means on the features it began with") {
  const TemporaryFolder folder;
  const std::vector<std::string> task = {
      "train",           "synthetic:classes=6,per-class=60,size=16",
      "--labeled-ratio", "0.5",
      "--width",         "8",
      "--classes",       "6"};
  std::vector<std::string> arguments = task;
  for (const std::string& word : std::vector<std::string>{"--crop",
                                                          "0",
                                                          "--freeze-until",
                                                          "none",
                                                          "--prototypes",
                                                          "24",
                                                          "--batch",
                                                          "64",
                                                          "--epochs",
                                                          "12",
                                                          "--warm-epochs",
                                                          "1",
                                                          "--grouping-epochs",
                                                          "8",
                                                          "--eval-every",
                                                          "0",
                                                          "-o",
                                                          folder / "run",
                                                          "--json",
                                                          "--quiet"})
    arguments.push_back(word);
  const ProcessResult result = opencd(arguments);
  REQUIRE_EQ(result.exit_code, 0);
  const double accuracy = accuracy_of(Json::parse(result.out));
  CHECK_GE(accuracy, trivial_accuracies(folder / "run/eval").best() + 0.2);
  CHECK_GE(accuracy, kmeans_accuracy(task) + 0.15);
}

TEST_CASE("the same seed gives the same bits, another seed others") {
  const TemporaryFolder folder;
  CHECK_EQ(train(folder.path(), {{"-o", "a"}}).exit_code, 0);
  CHECK_EQ(train(folder.path(), {{"-o", "b"}, {"--seed", "7"}}).exit_code, 0);
  CHECK_EQ(sum_of_last_model(folder / "a"), unbroken_model());
  CHECK_NE(sum_of_last_model(folder / "b"), unbroken_model());
}

TEST_CASE("a signal saves and ends with 143 or 130, and the next start goes on from there") {
  const TemporaryFolder folder;
  // So many epochs that no machine is done before the signal.
  const Options endless = {{"-o", "run"}, {"--epochs", "100000"}};
  const fs::path last = folder / "run/checkpoints/last";
  const auto newest = [&] {
    std::error_code none_yet;
    return fs::read_symlink(last, none_yet).string();
  };
  const ProcessResult stopped = train(
      folder.path(), endless, {.signal = SIGTERM, .when = [&] { return newest() > "epoch-0001"; }});
  CHECK_EQ(stopped.exit_code, 143);
  CHECK(fs::exists(last / "SHA256SUMS"));
  const auto seconds = [&] {
    return json_of(folder / "run/time.json").at("seconds").get<double>();
  };
  const double before = seconds();
  CHECK_GT(before, 0.0);
  const std::string saved = newest();
  const ProcessResult again =
      train(folder.path(), {{"-o", "run"}, {"--epochs", "100000"}, {"--resume", "auto"}},
            {.signal = SIGINT, .when = [&] { return newest() > saved; }});
  CHECK_EQ(again.exit_code, 130);
  CHECK_CONTAINS(again.err, "resumed from " + saved);
  CHECK_GT(seconds(), before);  // of both
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

TEST_CASE("--resume auto begins anew where the same command would give other numbers") {
  const TemporaryFolder folder;
  const auto started = [&](Options more) {
    more.insert({{"--epochs", "1"}, {"--resume", "auto"}, {"--json", ""}});
    const ProcessResult result = train(folder.path(), more);
    CHECK_EQ(result.exit_code, 0);
    return std::pair(Json::parse(result.out).at("run").get<std::string>(), result.err);
  };
  const auto first = started({});
  CHECK_EQ(started({}).first, first.first);
  CHECK_EQ(started({{"--save-every", "2"}, {"--quiet", ""}}).first,
           first.first);  // the same numbers
  const std::map<std::string, std::string> others = {
      {"--lr", "0.01"},           {"--weight-decay", "0.001"},
      {"--milestones", "7"},      {"--epochs", "2"},
      {"--frozen-norm", "fixed"}, {"--augment", "simclr"},
      {"--crop", "10"},           {"--seed", "5"},
      {"--known", "3"},           {"--tau", "0.2"},
      {"--limit", "100"}};
  std::set<std::string> runs = {first.first};
  for (const auto& [option, value] : others) {
    CAPTURE(option);
    const auto [run, said] = started({{option, value}});
    CHECK(runs.insert(run).second);
    if (option != "--limit")  // other data: there is no run to take it for
      CHECK_CONTAINS(said, fmt::format("a new run begins: no run under \"runs\""));
    if (option == "--lr") CHECK_CONTAINS(said, "lr: 0.002 in the run, 0.01 now");
  }
}

TEST_CASE("pretrain tells of a run that was finished before what it told then") {
  const TemporaryFolder folder;
  const auto pretrain = [&](const char* resume) {
    const ProcessResult result =
        opencd({"pretrain", "synthetic:classes=4,per-class=40,size=12", "--width", "4", "--crop",
                "0", "--batch", "32", "--epochs", "2", "-o", folder / "run", "--resume", resume,
                "--json", "--quiet"});
    REQUIRE_EQ(result.exit_code, 0);
    return Json::parse(result.out);
  };
  const Json first = pretrain("auto");
  CHECK_GT(first.at("loss").get<double>(), 0.0);
  CHECK_EQ(pretrain("auto").at("loss"), first.at("loss"));
}

TEST_CASE("memory that training fits into is enough for what comes after it") {
  const TemporaryFolder folder;
  // A network of 11 MiB: a second one beside the first would show.
  const auto train_within = [&](int mebibytes) {
    return train(folder.path(), {{"-o", fmt::format("run-{}", mebibytes)},
                                 {"--epochs", "1"},
                                 {"--width", "32"},
                                 {"--mem-limit", fmt::format("{}MiB", mebibytes)}});
  };
  const auto is_trained = [](const ProcessResult& run) { return contains(run.err, "epoch 1/1"); };
  int too_little = 16;
  int enough = 528;
  REQUIRE(is_trained(train_within(enough)));
  while (enough - too_little > 2) {
    const int between = (enough + too_little) / 2;
    (is_trained(train_within(between)) ? enough : too_little) = between;
  }
  CHECK_GT(enough, 40);
  // A little for copies of single tensors and for a block of held-out pictures.
  const ProcessResult tight = train_within(enough + 5);
  CHECK_MESSAGE(tight.exit_code == 0, tight.err);
  CHECK(fs::exists(folder / fmt::format("run-{}", enough + 5) / "eval/calibration.json"));
}

TEST_SUITE_END();

}  // namespace opencd::test
