#include "support/message.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace opencd::test {

namespace {

using Json = nlohmann::json;

}  // namespace

TEST_SUITE_BEGIN("cli/program");

TEST_CASE("devices lists a CPU that can train, with no environment and from any folder") {
  const ProcessResult result = opencd({"devices", "--json"}, {.folder = "/"});
  CHECK_EQ(result.exit_code, 0);
  CHECK_EQ(result.err, "");
  const Json listing = Json::parse(result.out);
  bool found = false;
  for (const Json& device : listing.at("devices"))
    found = found || (device.at("type") == "cpu" && device.at("can_train") == true);
  CHECK(found);
  CHECK(contains(opencd({"devices"}, {.folder = "/tmp"}).out, "can train: yes"));
}

TEST_CASE("doctor finds the CPU healthy") {
  const ProcessResult result = opencd({"doctor", "--device", "cpu", "--json"});
  CHECK_EQ(result.exit_code, 0);
  const Json report = Json::parse(result.out);
  CHECK_EQ(report.at("healthy"), true);
  for (const Json& check : report.at("checks")) {
    CHECK_GT(check.at("checked").get<int>(), 0);
    CHECK(check.at("wrong").empty());
  }
}

TEST_CASE("version names program, runtime and libraries") {
  const ProcessResult result = opencd({"--version"});
  CHECK_EQ(result.exit_code, 0);
  for (const char* part : {"opencd_sycl ", "commit ", "SYCL runtime ", "oneDNN ", "oneMKL"})
    CHECK(contains(result.out, part));
}

TEST_CASE("every verb has help with an example") {
  CHECK(contains(opencd({"--help"}).out, "devices"));
  for (const char* verb :
       {"devices", "doctor", "evaluate", "predict", "name", "export", "bench", "config"}) {
    const ProcessResult result = opencd({verb, "--help"});
    CHECK_EQ(result.exit_code, 0);
    CHECK(contains(result.out, "Example: opencd_sycl " + std::string(verb)));
  }
}

TEST_CASE("an unknown device ends with 5 and the list of devices") {
  for (const char* name : {"nothing", "99", "cuda:gpu:7", "name~no such thing"}) {
    const ProcessResult result = opencd({"doctor", "--device", name});
    CHECK_EQ(result.exit_code, 5);
    CHECK(contains(result.err, "devices here:"));
    CHECK(contains(result.err, "cpu"));
    CHECK_EQ(result.out, "");
  }
}

TEST_CASE("an unknown flag or verb ends with 2 and the nearest name") {
  const ProcessResult flag = opencd({"devices", "--jsno"});
  CHECK_EQ(flag.exit_code, 2);
  CHECK(contains(flag.err, "did you mean --json?"));
  const ProcessResult verb = opencd({"docter"});
  CHECK_EQ(verb.exit_code, 2);
  CHECK(contains(verb.err, "did you mean doctor?"));
  CHECK_EQ(opencd({}).exit_code, 2);
  CHECK_EQ(opencd({"bench"}).exit_code, 2);
  CHECK_EQ(opencd({"bench", "nonsense"}).exit_code, 2);
  CHECK_EQ(opencd({"doctor", "--mem-limit", "much"}).exit_code, 2);
}

TEST_CASE("memory past the limit ends with 5, the bytes asked and free, and the device's name") {
  const ProcessResult result = opencd({"doctor", "--mem_limit", "64KiB", "--json"});
  CHECK_EQ(result.exit_code, 5);
  CHECK(contains(result.err, "asked for"));
  CHECK(contains(result.err, "free "));
  CHECK(contains(result.err, " bytes on "));
  CHECK_EQ(result.out, "");
}

TEST_CASE("options come from the environment where no flag is given") {
  CHECK_EQ(opencd({"doctor"}, {.environment = {{"OPENCD_DEVICE", "nothing"}}}).exit_code, 5);
  CHECK_EQ(opencd({"doctor", "--device", "cpu"}, {.environment = {{"OPENCD_DEVICE", "nothing"}}})
               .exit_code,
           0);
}

TEST_CASE("options come from a file; what is wrong with it is told with its line") {
  const TemporaryFolder folder;
  const auto with = [&](const char* text) {
    return opencd({"doctor", "-c", folder.put("f.toml", text).string()});
  };
  CHECK_EQ(with("device = \"nothing\"\n").exit_code, 5);
  const ProcessResult unknown = with("\ndevise = \"cpu\"\n");
  CHECK_EQ(unknown.exit_code, 2);
  CHECK(contains(unknown.err, "f.toml, line 2: unknown key 'devise'; did you mean device?"));
  const ProcessResult broken = with("device = \n");
  CHECK_EQ(broken.exit_code, 3);
  CHECK(contains(broken.err, "f.toml\", line 1: "));
  CHECK_EQ(opencd({"doctor", "-c", "/no/such.toml"}).exit_code, 3);
}

TEST_CASE("config prints what reads back as the defaults of a verb") {
  const TemporaryFolder folder;
  const ProcessResult config = opencd({"config", "data", "split"});
  CHECK_EQ(config.exit_code, 0);
  CHECK(contains(config.out, "\n# Share of their rows that is labelled\nlabeled-ratio = 0.1\n"));
  const auto file = folder.put("split.toml", config.out).string();
  const std::vector<std::string> words = {"data", "split", "synthetic", "--json"};
  std::vector<std::string> with_file = words;
  with_file.insert(with_file.end(), {"-c", file});
  CHECK_EQ(opencd(with_file).out, opencd(words).out);
  const ProcessResult unknown = opencd({"config", "benhc"});
  CHECK_EQ(unknown.exit_code, 2);
  CHECK(contains(unknown.err, "did you mean bench?"));
}

TEST_SUITE_END();

}  // namespace opencd::test
