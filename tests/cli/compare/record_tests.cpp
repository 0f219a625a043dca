#include "cli/compare/record.hpp"

#include "error.hpp"
#include "support/message.hpp"
#include "support/temporary_folder.hpp"

#include <doctest/doctest.h>

namespace opencd::test {

namespace {

using cli::ComparisonRecord;
using cli::RecordedRun;

RecordedRun done_run(const std::string& method, std::uint32_t seed, double all) {
  return {.name = method + "-" + std::to_string(seed),
          .state = "done",
          .method = method,
          .seed = seed,
          .preset = "paper,small",
          .scores = cli::RunScores{0.8, 0.5, all, 0.4, 10},
          .epochs = 4,
          .seconds = 12.5,
          .made = {"0.1.0", "1a2b3c4", "A CPU", 2, "A CPU"},
          .command = "opencd_sycl train x --method " + method,
          .settings = {{"method", method}, {"milestones", {3}}}};
}

ComparisonRecord recorded() {
  ComparisonRecord record{.data = "cifar-10",
                          .data_hash = "sha256:0",
                          .rows = 50000,
                          .classes = 10,
                          .known = 5,
                          .labeled_ratio = 0.1,
                          .command = "opencd_sycl compare x"};
  record.runs = {done_run("opencd-paper", 0, 0.6),
                 done_run("opencd-paper", 1, 0.7),
                 done_run("dtc", 0, 0.3),
                 {.name = "dtc-1", .state = "failed", .method = "dtc", .seed = 1, .failure = "no"}};
  record.tables = {
      {{.file = "methods",
        .title = "Methods",
        .headers = {"method"},
        .columns = cli::accuracy_columns(),
        .rows = {{.names = {"opencd-paper"}, .published = {"83.5", "86.7", "85.3", ""}},
                 {.names = {"dtc"}, .rule = cli::KnownRule::matched}}},
       {{"opencd-paper-0", "opencd-paper-1"}, {"dtc-0", "dtc-1"}}}};
  return record;
}

std::string markdown_of_file(const std::string& text) {
  const TemporaryFolder folder;
  return to_markdown(cli::read_comparison(folder.put("runs.json", text)));
}

}  // namespace

TEST_SUITE_BEGIN("cli/compare/record");

TEST_CASE("a file of runs makes the tables that it was written with") {
  const ComparisonRecord record = recorded();
  const std::string markdown = to_markdown(record);
  CHECK_CONTAINS(markdown, "| opencd-paper | 80.0 ± 0.0 | 50.0 ± 0.0 | 65.0 ± 7.1 |");
  CHECK_CONTAINS(markdown, "| dtc | 80.0 | 50.0 | 30.0 | 10.0 | – | – | – | 1 of 2 |");
  CHECK_CONTAINS(markdown, "Known of dtc: by the best matching");
  CHECK_CONTAINS(markdown, "All runs: opencd_sycl 0.1.0 (commit 1a2b3c4); A CPU, 2 cores.");
  const std::string text = to_text(record);
  CHECK_EQ(markdown_of_file(text), markdown);
  const TemporaryFolder folder;
  const ComparisonRecord again = cli::read_comparison(folder.put("runs.json", text));
  CHECK_EQ(nlohmann::json(to_json(again)), nlohmann::json(to_json(record)));
  CHECK_EQ(count_of(text, "\n    {\"run\":"), 4);  // a run a line
}

TEST_CASE("rows of several commits or machines are told of, with the runs of each") {
  ComparisonRecord record = recorded();
  record.runs[2].made.commit = "5d6e7f8";
  const std::string commits = markdown_of_file(to_text(record));
  CHECK_CONTAINS(commits,
                 "NOT ALL OF ONE COMMIT: opencd_sycl 0.1.0 (commit 1a2b3c4): opencd-paper-0, "
                 "opencd-paper-1; opencd_sycl 0.1.0 (commit 5d6e7f8): dtc-0.");
  CHECK_FALSE(contains(commits, "All runs:"));
  CHECK_FALSE(contains(commits, "ONE MACHINE"));

  record = recorded();
  record.runs[1].made.cores = 1;
  CHECK_CONTAINS(to_markdown(record),
                 "NOT ALL OF ONE MACHINE: A CPU, 2 cores: opencd-paper-0, dtc-0; A CPU, 1 core: "
                 "opencd-paper-1.");
  record.runs[1].made = {};
  CHECK_CONTAINS(to_markdown(record), "an unknown version: opencd-paper-1");
  CHECK_CONTAINS(to_markdown(record), "an unknown machine: opencd-paper-1");

  record = recorded();
  for (RecordedRun& run : record.runs) run.made.device = "A GPU";
  CHECK_CONTAINS(to_markdown(record), "; A GPU on A CPU, 2 cores.");
  // A run of no row of a table says nothing about it.
  record = recorded();
  record.runs.push_back(done_run("orca", 0, 0.5));
  record.runs.back().made.commit = "5d6e7f8";
  CHECK_CONTAINS(to_markdown(record), "All runs:");
}

TEST_CASE("what is no such file is refused by name") {
  const auto refused = [](const std::string& text) {
    return message_of<FormatError>([&] { markdown_of_file(text); });
  };
  CHECK_CONTAINS(refused("{}"),
                 "runs.json: not the runs.json of a comparison: expected \"format\"");
  CHECK_CONTAINS(refused("[1]"), "not the runs.json of a comparison");
  std::string text = to_text(recorded());
  const auto with = [&](const std::string& old, const std::string& now) {
    std::string changed = text;
    REQUIRE(contains(text, old));
    return changed.replace(changed.find(old), old.size(), now);
  };
  CHECK_CONTAINS(
      refused(with("\"novel\",\"all\",\"classes\"]", "\"novel\",\"all\",\"\\u001b[31m\"]")),
      "there is no column \\x1b[31m");
  CHECK_CONTAINS(refused(with("\"published\":[\"83.5\",", "\"published\":[")),
                 "a row of methods.csv has too few or too many cells");
  CHECK_CONTAINS(refused(with("\"seed\":0", "\"seed\":\"x\"")), "not the runs.json");
  // Names are text, whatever they hold.
  CHECK_CONTAINS(markdown_of_file(with("{\"names\":[\"dtc\"]", "{\"names\":[\"\\u001b[31m\"]")),
                 "| \\x1b[31m |");
}

TEST_SUITE_END();

}  // namespace opencd::test
