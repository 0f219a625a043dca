// The verbs below `data` as a user runs them.
#include "data/support/cifar_files.hpp"
#include "files/sha256.hpp"
#include "support/message.hpp"
#include "support/program.hpp"

#include <nlohmann/json.hpp>

namespace opencd::test {

namespace {

using Json = nlohmann::json;

}  // namespace

TEST_SUITE_BEGIN("data/command");

TEST_CASE("info tells rows and classes") {
  const ProcessResult text = opencd({"data", "info", "synthetic:classes=3,per-class=10"});
  CHECK_EQ(text.exit_code, 0);
  CHECK(contains(text.out, "30 training rows, 6 held out, 16 x 16 pixels"));
  const ProcessResult result =
      opencd({"data", "info", "synthetic:classes=3,per-class=10", "--json"});
  const Json info = Json::parse(result.out);
  CHECK_EQ(info.at("rows"), 30);
  CHECK_EQ(info.at("shape"), Json({16, 16, 3}));
  CHECK_EQ(info.at("classes").at(2).at("rows"), 10);
  CHECK_EQ(result.err, "");
}

TEST_CASE("split tells counts, writes its file and reads it back") {
  const TempFolder folder;
  const std::string data = "synthetic:per-class=100";
  const auto split = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"data", "split", data, "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const ProcessResult result = opencd(arguments);
    CHECK_EQ(result.exit_code, 0);
    return Json::parse(result.out);
  };
  const Json made = split({"--known", "3", "--labeled_ratio", "0.5", "-o", folder.path() / "run"});
  CHECK_EQ(made.at("rows"), 1000);
  CHECK_EQ(made.at("known_classes"), Json({0, 1, 2}));
  CHECK_EQ(made.at("labeled").get<int>() + made.at("unlabeled").get<int>(), 1000);
  CHECK_EQ(split({"--splits", folder.path() / "run" / "splits.json"}), made);
  CHECK_EQ(split({"--known-classes", "9,4"}).at("known_classes"), Json({9, 4}));
  const ProcessResult other =
      opencd({"data", "split", "synthetic", "--splits", folder.path() / "run" / "splits.json"});
  CHECK_EQ(other.exit_code, 3);
  CHECK(contains(other.err, "made for other data"));
}

TEST_CASE("bad data ends with one line and exit code 3") {
  const TempFolder folder;
  write_cifar10_folder(folder, 4);
  folder.write("data_batch_2.bin", cifar_file(2, data::CifarKind::cifar10));
  const ProcessResult cut = opencd({"data", "info", folder.path()});
  CHECK_EQ(cut.exit_code, 3);
  CHECK(contains(cut.err, "data_batch_2.bin: 2 records, expected 4"));
  CHECK_EQ(cut.out, "");
  CHECK_EQ(std::count(cut.err.begin(), cut.err.end(), '\n'), 1);
  CHECK_EQ(opencd({"data", "info", "no/such/folder"}).exit_code, 3);
}

TEST_CASE("wrong words end with exit code 2") {
  CHECK_EQ(opencd({"data"}).exit_code, 2);
  CHECK_EQ(opencd({"data", "split", "synthetic", "--known", "11"}).exit_code, 2);
  CHECK_EQ(opencd({"data", "split", "synthetic", "--labeled-ratio", "1.5"}).exit_code, 2);
  CHECK_EQ(opencd({"data", "info", "synthetic:colour=1"}).exit_code, 2);
  CHECK_EQ(opencd({"data", "info", "synthetic", "--format", "tar"}).exit_code, 2);
  const ProcessResult none = opencd({"data", "info"});
  CHECK_EQ(none.exit_code, 2);
  CHECK(contains(none.err, "opencd_sycl data info --help"));
}

TEST_CASE("every verb has help with an example") {
  for (const char* verb : {"info", "split"}) {
    const ProcessResult result = opencd({"data", verb, "--help"});
    CHECK_EQ(result.exit_code, 0);
    CHECK(contains(result.out, fmt::format("Example: opencd_sycl data {}", verb)));
  }
}

TEST_CASE("show draws a sheet of rows and views, the same one for the same seed") {
  const TempFolder folder;
  const auto show = [&](const std::string& name, const std::vector<std::string>& more) {
    const std::filesystem::path file = folder.path() / name;
    std::vector<std::string> arguments = {"data",   "show",  "synthetic:per-class=5",
                                          "--json", "--out", file};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const ProcessResult result = opencd(arguments);
    CHECK_EQ(result.exit_code, 0);
    CHECK_GT(Json::parse(result.out).at("width").get<int>(), 100);
    return files::sha256_of_file(file);
  };
  const std::string first = show("first.png", {"--rows", "4"});
  CHECK_EQ(show("again.png", {"--rows", "4"}), first);
  CHECK_NE(show("seed.png", {"--rows", "4", "--seed", "7"}), first);
  CHECK_NE(show("weak.png", {"--rows", "4", "--augment", "fixmatch-weak"}), first);
}

TEST_CASE("show refuses an unknown preset and a folder that is not there") {
  CHECK_EQ(opencd({"data", "show", "synthetic", "--augment", "nothing"}).exit_code, 2);
  CHECK_EQ(opencd({"data", "show", "synthetic", "--out", "/nonexistent/sheet.png"}).exit_code, 3);
}

TEST_SUITE_END();

}  // namespace opencd::test
