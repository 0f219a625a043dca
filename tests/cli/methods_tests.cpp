// Every method through `train` and `predict`, as a user runs them.
#include "cli/beaten_answers.hpp"
#include "support/message.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <set>

namespace opencd::test {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

const std::vector<std::string> kMethods = {"orca", "gcd", "rankstats", "dtc", "fixmatch", "ds3l"};

ProcessResult train(const fs::path& folder,
                    const std::string& method,
                    const std::vector<std::string>& more) {
  std::vector<std::string> arguments = {"train",    "synthetic:classes=4,per-class=30,size=12",
                                        "--known",  "2",
                                        "--width",  "4",
                                        "--batch",  "32",
                                        "--lr",     "0.01",
                                        "-o",       folder / "run",
                                        "--json",   "--quiet",
                                        "--method", method};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return opencd(arguments);
}

}  // namespace

TEST_SUITE_BEGIN("cli/methods");

TEST_CASE(
    "above 10 known classes the values published for CIFAR-100 hold, unless others are asked for") {
  const struct {
    std::vector<std::string> more;
    double weight_decay;
  } cases[] = {{{"--known", "10"}, 5e-4},
               {{"--known", "11"}, 1e-3},
               {{"--known", "11", "--values-of", "cifar10"}, 5e-4},
               {{"--known", "11", "--weight-decay", "0.02"}, 0.02}};
  for (const auto& [more, weight_decay] : cases) {
    const TemporaryFolder folder;
    std::vector<std::string> arguments = {"train",     "synthetic:classes=12,per-class=8,size=12",
                                          "--width",   "4",
                                          "--batch",   "16",
                                          "--epochs",  "1",
                                          "--classes", "12",
                                          "--method",  "fixmatch",
                                          "-o",        folder / "run",
                                          "--quiet"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    REQUIRE_EQ(opencd(arguments).exit_code, 0);
    const Json settings = json_of(folder / "run/args.json").at("settings");
    CHECK_EQ(settings.at("weight-decay").at("value"), weight_decay);
  }
}

TEST_CASE("every method trains by its own recipe, under --preset small too, and predicts") {
  for (const std::string& method : kMethods) {
    CAPTURE(method);
    const TemporaryFolder folder;
    const ProcessResult result =
        train(folder.path(), method, {"--classes", "4", "--preset", "small"});
    CHECK_EQ(result.err, "");
    REQUIRE_EQ(result.exit_code, 0);
    const Json scores = Json::parse(result.out);
    CHECK_EQ(scores.at("classes_found"), 4);
    const Json arguments = json_of(folder / "run/args.json");
    const Json& settings = arguments.at("settings");
    CHECK_EQ(settings.at("epochs").at("value"), 4);
    CHECK_EQ(settings.at("epochs").at("source"), "preset");
    CHECK_EQ(settings.at("lr").at("source"), "flag");
    CHECK_EQ(settings.at("augment").at("source"), "method");
    CHECK_EQ(settings.at("crop").at("value"), 0);

    const ProcessResult predicted = run_process(
        OPENCD_PROGRAM, {"predict", folder / "run",
                         "synthetic:classes=4,per-class=5,size=12,seed=1", "--json", "--quiet"});
    REQUIRE_EQ(predicted.exit_code, 0);
    const ProcessResult evaluated = opencd({"evaluate", folder / "run", "--json", "--quiet"});
    REQUIRE_EQ(evaluated.exit_code, 0);
    CHECK_EQ(Json::parse(evaluated.out).at("orca"), scores.at("orca"));
  }
}

TEST_CASE(
    "every method beats chance, one group for all, and k-means on the features it began with") {
  const std::vector<std::string> task = {
      "train",           "synthetic:classes=6,per-class=60,size=16",
      "--labeled-ratio", "0.5",
      "--width",         "8",
      "--classes",       "6"};
  const double kmeans = kmeans_accuracy(task);
  for (const std::string& method : kMethods) {
    CAPTURE(method);
    const TemporaryFolder folder;
    std::vector<std::string> arguments = task;
    for (const std::string& word : std::vector<std::string>{
             "--method", method, "--preset", "small", "--batch", "64", "--freeze-until", "none",
             "--lr", "0.03", "--epochs", "30", "-o", folder / "run", "--json", "--quiet"})
      arguments.push_back(word);
    const ProcessResult result = opencd(arguments);
    REQUIRE_EQ(result.exit_code, 0);
    const double accuracy = accuracy_of(Json::parse(result.out));
    CHECK_GE(accuracy, trivial_accuracies(folder / "run/eval").best() + 0.1);
    CHECK_GE(accuracy, kmeans + 0.05);
  }
}

TEST_CASE("a method that cannot count says so before a folder is made; GCD counts") {
  for (const std::string& method : kMethods) {
    CAPTURE(method);
    const TemporaryFolder folder;
    const ProcessResult result =
        train(folder.path(), method, {"--epochs", "1", "--most-classes", "8"});
    if (method == "gcd") {
      REQUIRE_EQ(result.exit_code, 0);
      CHECK_GE(Json::parse(result.out).at("classes_found").get<int>(), 2);
      CHECK_LE(Json::parse(result.out).at("classes_found").get<int>(), 8);
      continue;
    }
    CHECK_EQ(result.exit_code, 2);
    CHECK_CONTAINS(result.err, "--classes N");
    CHECK_EQ(folder.entries(), 0);
  }
}

TEST_CASE(
    "opencd+ counts as opencd does, each of its parts can be left out or in, and it predicts") {
  const std::vector<std::string> parts = {"--balanced-targets", "--strong-views", "--whole-network",
                                          "--labeled-share=0"};
  std::set<std::string> scores;
  for (std::size_t out = 0; out <= parts.size(); ++out) {
    const TemporaryFolder folder;
    std::vector<std::string> more = {"--preset", "small"};
    if (out < parts.size()) more.push_back(parts[out]);
    CAPTURE(more.back());
    const ProcessResult result = train(folder.path(), "opencd+", more);
    CHECK_EQ(result.err, "");
    REQUIRE_EQ(result.exit_code, 0);
    CHECK_GE(Json::parse(result.out).at("classes_found").get<int>(), 2);
    std::ifstream model(folder / "run/checkpoints/last/model.safetensors", std::ios::binary);
    scores.insert(std::string(std::istreambuf_iterator<char>(model), {}));
    const ProcessResult predicted = run_process(
        OPENCD_PROGRAM, {"predict", folder / "run",
                         "synthetic:classes=4,per-class=5,size=12,seed=1", "--json", "--quiet"});
    REQUIRE_EQ(predicted.exit_code, 0);
  }
  CHECK_EQ(scores.size(), parts.size() + 1);  // no part is without effect on what is learned
}

TEST_SUITE_END();

}  // namespace opencd::test
