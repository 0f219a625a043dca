// The baselines that train nothing, through `train`, as a user runs them.
#include "cli/beaten_answers.hpp"
#include "support/message.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace opencd::test {

namespace {

using Json = nlohmann::json;

ProcessResult train(const std::vector<std::string>& more) {
  std::vector<std::string> arguments = {"train",   "synthetic:classes=4,per-class=60,size=24",
                                        "--known", "2",
                                        "--width", "16",
                                        "--json",  "--quiet"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return opencd(arguments);
}

}  // namespace

TEST_SUITE_BEGIN("cli/baselines");

TEST_CASE("k-means on the features of an untrained network beats chance by far, twice the same") {
  const TemporaryFolder folder;
  for (const char* method : {"simclr-kmeans", "gcd-kmeans"}) {
    CAPTURE(method);
    Json scores[2];
    for (int i = 0; i < 2; ++i) {
      const auto out = folder / (method + std::to_string(i));
      const ProcessResult result = train({"--method", method, "--classes", "4", "-o", out});
      CHECK_EQ(result.err, "");
      REQUIRE_EQ(result.exit_code, 0);
      scores[i] = Json::parse(result.out);
      CHECK(std::filesystem::exists(out / "eval/predictions.csv"));
      CHECK(std::filesystem::exists(out / "checkpoints/epoch-0000/model.safetensors"));
      scores[i].erase("seconds");
      scores[i].erase("run");
    }
    CHECK_EQ(scores[0], scores[1]);
    CHECK_GE(accuracy_of(scores[0]),
             trivial_accuracies(folder / (method + std::to_string(0)) / "eval").best() + 0.35);
    CHECK_EQ(scores[0].at("classes_found"), 4);
  }
}

TEST_CASE("a finished run is reported again, not clustered again") {
  const TemporaryFolder folder;
  const std::vector<std::string> arguments = {"--method", "simclr-kmeans", "--classes", "4",
                                              "-o",       folder / "run",  "--resume",  "auto"};
  const Json first = Json::parse(train(arguments).out);
  const ProcessResult again = train(arguments);
  REQUIRE_EQ(again.exit_code, 0);
  CHECK_EQ(Json::parse(again.out).at("orca"), first.at("orca"));
}

TEST_CASE("an unknown number of classes ends with 2 and what to add") {
  const TemporaryFolder folder;
  const ProcessResult result = train({"--method", "simclr-kmeans", "-o", folder / "run"});
  CHECK_EQ(result.exit_code, 2);
  CHECK_CONTAINS(result.err, "--classes N");
  CHECK_EQ(folder.entries(), 0);
}

TEST_SUITE_END();

}  // namespace opencd::test
