#include "cli/report/run_record.hpp"

#include "cli/report/run_command.hpp"
#include "cli/report/run_files.hpp"
#include "error.hpp"
#include "support/message.hpp"

namespace opencd::test {

using namespace cli::report;

TEST_SUITE_BEGIN("cli/report/run_record");

TEST_CASE("a run is read with classes, groups, rows and metrics") {
  const TemporaryFolder folder;
  const RunRecord run = read_run_record(write_run(folder, "run") + "/");
  CHECK_EQ(run.name, "run");
  CHECK_EQ(run.verb, "train");
  CHECK_EQ(run.setting("known"), 1);
  CHECK(run.setting("nothing").is_null());
  REQUIRE_EQ(run.classes.size(), 3);
  CHECK_EQ(run.classes[1].name, kEvilClass);
  CHECK_EQ(run.classes[2].name, "=a, \"b\"");
  CHECK_EQ(run.classes[1].correct, 2);
  REQUIRE_EQ(run.groups.size(), 3);  // group 3 has no rows
  CHECK(run.groups[0].known);
  CHECK_FALSE(run.groups[1].named);
  CHECK(run.groups[2].named);
  REQUIRE_EQ(run.rows.size(), 6);
  CHECK_EQ(run.rows[1].path, "b\x1b[31m\n,\"<b>.png");
  CHECK_EQ(run.rows[4].cls, 2);
  CHECK_EQ(run.rows[5].likeness, -0.2);
  REQUIRE_EQ(run.metrics.size(), 3);  // the last line was cut by a kill
  CHECK_EQ(metric_points(run, "train/loss", MetricAxis::step), Points{{10.0, 2.5}});
  CHECK_EQ(metric_points(run, "val/all", MetricAxis::epoch), Points{{1.0, 0.75}});
}

TEST_CASE("an interrupted run has no scores") {
  const TemporaryFolder folder;
  const std::string path = write_run(folder, "run");
  std::filesystem::remove_all(folder / "run/eval");
  std::filesystem::remove(folder / "run/env.json");
  const RunRecord run = read_run_record(path);
  CHECK_FALSE(run.summary.has_value());
  CHECK(run.groups.empty());
  CHECK(run.rows.empty());
}

TEST_CASE("what discover leaves is read from other files") {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder / "found");
  folder.put("found/args.json", R"({"verb": "discover", "settings": {}})");
  folder.put(
      "found/summary.json",
      R"({"rows": 2, "classes_found": 2, "groups": [{"group": 0, "size": 1, "known_class": 7},
                {"group": 1, "size": 1, "known_class": null}]})");
  folder.put(
      "found/groups.csv",
      "row,group,known_class,confidence,margin,likeness\n0,0,7,0.9,0.8,0.7\n1,1,,0.9,0.8,0.7\n");
  const RunRecord run = read_run_record(folder / "found");
  REQUIRE_EQ(run.rows.size(), 2);
  CHECK_EQ(run.rows[1].cls, -1);
  CHECK_EQ(run.groups[0].name, "class 7");
  CHECK_EQ(run.groups[1].name, "group 1");
}

TEST_CASE("what is no run, or a broken one, is refused by its name") {
  const TemporaryFolder folder;
  const std::string path = write_run(folder, "run");
  folder.put("run/eval/summary.json", R"({"groups": [{"group": "x", "size": 1}]})");
  CHECK_CONTAINS(message_of<FormatError>([&] { read_run_record(path); }), "do not read");
  folder.put("run/eval/predictions.csv", "row\n1\n");
  CHECK_CONTAINS(message_of<FormatError>([&] { read_run_record(path); }), "no column group");
  CHECK_CONTAINS(message_of<FormatError>([&] { read_run_record(folder / "other"); }), "is no run");
}

TEST_CASE("the command repeats what was set, wherever it was set") {
  const TemporaryFolder folder;
  const RunRecord run = read_run_record(write_run(folder, "run", 7));
  CHECK_EQ(shell_command(command_words(run)),
           "opencd_sycl train 'my pictures' --grey --known 1 --out run --seed 7");
  CHECK_EQ(shell_command({"a'b", "", "x=y", "$HOME"}), "'a'\\''b' '' x=y '$HOME'");
}

TEST_SUITE_END();

}  // namespace opencd::test
