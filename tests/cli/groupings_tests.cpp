// Every way to group prototypes and every preset of OpenNCD, end to end by the program, the number of classes told and
// not told.
#include "support/message.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"

#include <doctest/doctest.h>

#include <map>
#include <sstream>

namespace opencd::test {

namespace {

using Words = std::vector<std::string>;

constexpr std::size_t kClasses = 6;

struct GroupRun {
  nlohmann::json summary;
  nlohmann::json settings;          // of args.json
  std::vector<std::size_t> groups;  // before every epoch, and after the last
};

std::vector<std::size_t> groups_over_epochs(const std::filesystem::path& run) {
  std::vector<std::size_t> groups;
  std::istringstream lines(text_of(run / "metrics.jsonl"));
  for (std::string line; std::getline(lines, line);)
    if (const auto record = nlohmann::json::parse(line); record.contains("train/groups"))
      groups.push_back(record.at("train/groups").get<std::size_t>());
  return groups;
}

ProcessResult begin_grouping(const Words& more, const std::string& run, const char* epochs = "8") {
  Words words = {"train", "synthetic:classes=6,per-class=60,size=16"};
  for (const std::string& word :
       Words{"--known",      "3",      "--labeled-ratio", "0.5",  "--augment",    "orca",
             "--crop",       "0",      "--width",         "8",    "--epochs",     epochs,
             "--batch",      "64",     "--freeze-until",  "none", "--prototypes", "30",
             "--eval-every", "0",      "--seed",          "1",    "-o",           run,
             "--json",       "--quiet"})
    words.push_back(word);
  words.insert(words.end(), more.begin(), more.end());
  return opencd(words);
}

GroupRun group_run(const Words& more, const char* epochs = "8") {
  const TemporaryFolder folder;
  const ProcessResult result = begin_grouping(more, folder / "run", epochs);
  REQUIRE_MESSAGE(result.exit_code == 0, result.err);
  return {nlohmann::json::parse(result.out),
          nlohmann::json::parse(text_of(folder / "run/args.json")).at("settings"),
          groups_over_epochs(folder / "run")};
}

std::string value_of(const GroupRun& run, const char* key) {
  return run.settings.at(key).at("value").dump();
}

}  // namespace

TEST_SUITE_BEGIN("cli/groupings");

TEST_CASE("every grouping searches its own range to the end of the run, the number told or not") {
  const std::map<std::string, std::pair<std::string, std::string>> ranges = {
      {"louvain", {"12", "2"}},
      {"threshold", {"0.99", "0.5"}},
      {"affinity-propagation", {"0.99", "0.5"}}};
  for (const auto& [grouping, range] : ranges)
    for (const std::string classes : {"auto", "6"}) {
      CAPTURE(grouping);
      CAPTURE(classes);
      const GroupRun run =
          group_run({"--preset", "code,small", "--grouping", grouping, "--classes", classes});
      CHECK_EQ(value_of(run, "search-first"), range.first);
      CHECK_EQ(value_of(run, "search-last"), range.second);
      const auto found = run.summary.at("classes_found").get<std::size_t>();
      CHECK_GE(found, 3);  // as many as known classes
      CHECK_LT(found, 30);
      CHECK_EQ(run.groups.front(), 30);
      CHECK_EQ(run.groups.back(), found);
    }
}

TEST_CASE("both presets of OpenNCD and ours find groups, the number told or not") {
  for (const std::string preset : {"code,small", "paper,small", "plus,small"})
    for (const std::string classes : {"auto", "6"}) {
      CAPTURE(preset);
      CAPTURE(classes);
      const GroupRun run = group_run({"--preset", preset, "--classes", classes});
      if (classes != "auto") CHECK_EQ(run.summary.at("classes_found"), kClasses);
      CHECK_EQ(run.summary.at("preset"), preset);
      CHECK_EQ(value_of(run, "method"),
               preset[0] == 'p' && preset[1] == 'l' ? "\"opencd+\"" : "\"opencd\"");
      // 'paper' makes groups after every epoch, the others in some.
      CHECK_EQ(value_of(run, "grouping-epochs"), preset[1] == 'a' ? "1000000" : "4");
    }
}

TEST_CASE("the authors' search goes from many groups to fewer and stays there") {
  const GroupRun run = group_run({"--preset", "code,small", "--classes", "auto"}, "16");
  REQUIRE_GT(run.groups.size(), 10);
  CHECK_EQ(run.groups.front(), 30);
  CHECK_LT(run.groups.back(), 20);
  for (std::size_t epoch = 8; epoch < run.groups.size(); ++epoch)
    CHECK_EQ(run.groups[epoch], run.groups.back());  // they stay from epoch 7 on
}

TEST_CASE(
    "CIFAR-100's range is reached, and one without meaning is refused before a folder is made") {
  const TemporaryFolder folder;
  const auto refusal = [&](const Words& words) {
    const ProcessResult result = begin_grouping(words, folder / "run");
    CHECK_EQ(result.exit_code, 2);
    CHECK_FALSE(std::filesystem::exists(folder / "run"));
    return result.err;
  };
  const GroupRun run = group_run({"--preset", "code-cifar100,small", "--classes", "auto"}, "2");
  CHECK_EQ(value_of(run, "search-last"), "6");
  CHECK_EQ(value_of(run, "affinity-share"), "0.9");
  CHECK_CONTAINS(
      refusal({"--preset", "code,small", "--search", "threshold", "--search-first", "12"}),
      "above 0 to below 1, got 12");
  CHECK_CONTAINS(refusal({"--preset", "code,small", "--search-first", "1", "--search-last", "4"}),
                 "many groups to few");
  CHECK_CONTAINS(refusal({"--preset", "code,small", "--grouping", "spectral"}), "--classes N");
  CHECK_CONTAINS(refusal({"--preset", "code,small", "--grouping-sets", "9"}),
                 "--grouping-sets is a part of opencd+");
  CHECK_CONTAINS(refusal({"--preset", "code,tiny"}), "there is no preset 'tiny'");
}

TEST_SUITE_END();

}  // namespace opencd::test
