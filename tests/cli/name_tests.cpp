// `name RUN` as a user runs it: names are kept with the run and shown by the other verbs.
#include "cli/tiny_run.hpp"
#include "support/message.hpp"

namespace opencd::test {

namespace {

using Json = nlohmann::json;

ProcessResult name(const std::string& run, const std::vector<std::string>& more) {
  std::vector<std::string> arguments = {"name", run};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return opencd(arguments);
}

/// The names of all groups of a run.
std::vector<std::string> names_of(const std::string& run) {
  const ProcessResult result = name(run, {"--json", "--quiet"});
  REQUIRE_EQ(result.exit_code, 0);
  std::vector<std::string> names;
  const Json said = Json::parse(result.out);
  for (const Json& group : said.at("groups")) names.push_back(group.at("name").get<std::string>());
  return names;
}

}  // namespace

TEST_SUITE_BEGIN("cli/name");

TEST_CASE("the table shows every group with its rows and its class") {
  const TinyRun& run = tiny_run();
  const ProcessResult table = name(run.path(), {});
  CHECK_EQ(table.exit_code, 0);
  CHECK_CONTAINS(table.out, "known");
  CHECK_CONTAINS(table.out, "group 3");
  CHECK_FALSE(std::filesystem::exists(run / "names.json"));  // looking changes nothing
  const Json groups = Json::parse(name(run.path(), {"--json"}).out).at("groups");
  REQUIRE_EQ(groups.size(), 6);
  std::size_t rows = 0;
  for (const Json& group : groups) rows += group.at("size").get<std::size_t>();
  CHECK_EQ(rows, run.summary().at("rows").get<std::size_t>());
  CHECK_EQ(groups.at(1).at("known_class"), "1");
  CHECK(groups.at(4).at("known_class").is_null());
}

TEST_CASE("names are kept, changed, taken away, and shown by predict and evaluate") {
  const TemporaryFolder folder;
  const std::string run = tiny_run().copy_to(folder);
  CHECK_EQ(name(run, {"--set", "3=Turnschuh, grün", "--set", "4=a=b"}).exit_code, 0);
  CHECK_EQ(names_of(run),
           std::vector<std::string>{"0", "1", "2", "Turnschuh, grün", "a=b", "group 5"});
  folder.put("names.csv", "group,name\n5,\"boot, \"\"high\"\"\"\n3,sneaker\n");
  CHECK_EQ(name(run, {"--from", folder / "names.csv", "--clear", "4"}).exit_code, 0);
  CHECK_EQ(names_of(run),
           std::vector<std::string>{"0", "1", "2", "sneaker", "group 4", "boot, \"high\""});
  const std::string shown = opencd({"predict", run, TinyRun::kData}).out;
  CHECK_CONTAINS(shown, ",no,sneaker,");
  CHECK_CONTAINS(shown, ",yes,1,");
  CHECK_CONTAINS(shown, ",no,\"boot, \"\"high\"\"\",");
  CHECK_EQ(opencd({"evaluate", run, "--quiet"}).exit_code, 0);
  CHECK_CONTAINS(text_of(run + "/eval/predictions.csv"), ",sneaker,");
  CHECK_CONTAINS(text_of(run + "/eval/confusion.csv"), ",sneaker");
  // Two groups change names in one command.
  CHECK_EQ(name(run, {"--set", "3=x", "--set", "5=sneaker"}).exit_code, 0);
  CHECK_EQ(name(run, {"--set", "3=sneaker", "--set", "5=x"}).exit_code, 0);
  CHECK_EQ(names_of(run).at(3), "sneaker");
}

TEST_CASE("what cannot be is refused, and the names stay as they were") {
  const TemporaryFolder folder;
  const std::string run = tiny_run().copy_to(folder);
  REQUIRE_EQ(name(run, {"--set", "3=sneaker"}).exit_code, 0);
  const std::vector<std::string> before = names_of(run);
  folder.put("wrong.csv", "number,name\n3,x\n");
  folder.put("unknown.csv", "group,name\n77,x\n");
  const auto check = [&](const std::vector<std::string>& words, int code, const char* part) {
    const ProcessResult result = name(run, words);
    CHECK_EQ(result.exit_code, code);
    CHECK_CONTAINS(result.err, part);
    CHECK_EQ(result.out, "");
  };
  check({"--set", "4=boot", "--set", "77=x"}, 2, "there is no group 77; there are 0 to 5");
  check({"--set", "4=sneaker"}, 2, "groups 3 and 4 cannot both be called sneaker");
  check({"--set", "4=1"}, 2, "that is a known class");
  check({"--set", "1=boot"}, 2, "is the known class 1");
  check({"--set", "4=a\tb"}, 2, "without control characters");
  check({"--set", "4="}, 2, "group 4");
  check({"--set", "boot"}, 2, "GROUP=NAME");
  check({"--set", "four=boot"}, 2, "number of a group");
  check({"--clear", "x"}, 2, "number of a group");
  check({"--from", folder / "wrong.csv"}, 3, "expected the header group,name");
  check({"--from", folder / "unknown.csv"}, 2, "there is no group 77");
  check({"--from", folder / "nothing.csv"}, 3, "nothing.csv");
  CHECK_EQ(names_of(run), before);
  folder.put("copy/names.json", "{}");
  check({}, 3, "names.json");
}

TEST_SUITE_END();

}  // namespace opencd::test
