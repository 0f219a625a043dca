// `predict RUN INPUT...` as a user runs it.
#include "cli/tiny_run.hpp"
#include "data/png_writer.hpp"
#include "data/synthetic.hpp"
#include "support/message.hpp"

namespace opencd::test {

namespace {

using Json = nlohmann::json;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

Json predict_json(const std::vector<std::string>& inputs) {
  std::vector<std::string> arguments = {"predict", tiny_run().path()};
  arguments.insert(arguments.end(), inputs.begin(), inputs.end());
  arguments.insert(arguments.end(), {"--json", "--quiet"});
  const ProcessResult result = opencd(arguments);
  REQUIRE_EQ(result.exit_code, 0);
  CHECK_EQ(result.err, "");
  return Json::parse(result.out);
}

/// The first rows of the run's set as PNG files, in folders that mean nothing.
void write_pictures(const TemporaryFolder& folder, std::size_t count) {
  const data::ImageSet set = data::make_synthetic({.classes = 6, .per_class = 60, .size = 16});
  for (std::size_t i = 0; i < count; ++i) {
    const auto place = folder / (i % 2 == 0 ? "some/deep" : "other");
    std::filesystem::create_directories(place);
    const auto row = set.train_row(i);
    data::write_png({16, 16, {row.begin(), row.end()}}, place / (std::to_string(i) + ".png"));
  }
}

}  // namespace

TEST_SUITE_BEGIN("cli/predict");

TEST_CASE("a data set comes out as CSV, a line a row, with the classes that were learned") {
  const ProcessResult result =
      opencd({"predict", tiny_run().path(), "synthetic:classes=6,per-class=20,seed=1"});
  CHECK_EQ(result.exit_code, 0);
  const std::vector<std::string> lines = lines_of(result.out);
  REQUIRE_EQ(lines.size(), 1 + 120 + 24);
  CHECK_EQ(lines[0], "path,part,row,group,known,name,confidence,margin,typicality,none_of_these");
  CHECK_CONTAINS(lines[1], "\"synthetic:classes=6,per-class=20,seed=1\",train,0,");
  CHECK_CONTAINS(lines[121], ",test,0,");
  CHECK_CONTAINS(result.err, "held-out test rows in groups of known classes");
  CHECK_CONTAINS(result.err, "held-out test rows in discovered groups");
}

TEST_CASE("pictures in nested folders and single files are found and named") {
  const TemporaryFolder folder;
  write_pictures(folder, 10);
  const std::string single = folder / "other" / "1.png";
  const Json result = predict_json({folder.path(), single});
  CHECK_EQ(result.at("rows"), 11);
  CHECK_EQ(result.at("predictions").back().at("path"), single);
  // The same pictures as rows of the set: the same groups.
  const Json rows = predict_json({TinyRun::kData}).at("predictions");
  std::size_t same = 0;
  for (const Json& row : result.at("predictions")) {
    const std::filesystem::path path = row.at("path").get<std::string>();
    CHECK(std::filesystem::exists(path));
    CHECK_FALSE(row.contains("row"));
    const Json& twin = rows.at(std::stoul(path.stem().string()));
    same += row.at("group") == twin.at("group") ? 1 : 0;
  }
  CHECK_EQ(same, 11);
}

TEST_CASE("broken pictures are counted, named and left out; --strict ends with 3") {
  const TemporaryFolder folder;
  write_pictures(folder, 4);
  folder.put("other/broken.png", "\x89PNG no more");
  const std::string run = tiny_run().path();
  const ProcessResult result = opencd({"predict", run, folder.path(), "--format", "jsonl"});
  CHECK_EQ(result.exit_code, 0);
  CHECK_EQ(lines_of(result.out).size(), 4);
  for (const std::string& line : lines_of(result.out)) CHECK(Json::parse(line).is_object());
  CHECK_CONTAINS(result.err, "1 broken pictures were left out");
  CHECK_CONTAINS(result.err, "other/broken.png");
  const std::string out = folder / "labels.csv";
  const ProcessResult strict = opencd({"predict", run, folder.path(), "--strict", "-o", out});
  CHECK_EQ(strict.exit_code, 3);
  CHECK_FALSE(std::filesystem::exists(out));
  const ProcessResult alone = opencd({"predict", run, folder / "other" / "broken.png"});
  CHECK_EQ(alone.exit_code, 3);
  CHECK_CONTAINS(alone.err, "no sound one");
}

TEST_CASE("-o writes the file that stdout would have shown") {
  const TemporaryFolder folder;
  const std::string run = tiny_run().path();
  const std::string out = folder / "labels.csv";
  const ProcessResult shown = opencd({"predict", run, "synthetic:classes=6,per-class=5,seed=1"});
  const ProcessResult written =
      opencd({"predict", run, "synthetic:classes=6,per-class=5,seed=1", "-o", out});
  CHECK_EQ(written.out, "");
  CHECK_EQ(text_of(out), shown.out);
}

TEST_CASE("a run without calibration says so and leaves the cells empty") {
  const TemporaryFolder folder;
  const std::string run = tiny_run().copy_to(folder);
  std::filesystem::remove_all(run + "/eval");
  const ProcessResult result = opencd({"predict", run, "synthetic:classes=6,per-class=5"});
  CHECK_EQ(result.exit_code, 0);
  CHECK_CONTAINS(result.err, "has not been calibrated");
  CHECK(lines_of(result.out).at(1).ends_with(",,"));
  CHECK_EQ(opencd({"evaluate", run, "--quiet"}).exit_code, 0);
  const ProcessResult again = opencd({"predict", run, "synthetic:classes=6,per-class=5"});
  CHECK_CONTAINS(again.err, "none of these: calibrated on");
}

TEST_CASE("bad use ends with its exit code and a sentence") {
  const TemporaryFolder folder;
  const std::string run = tiny_run().path();
  const auto check = [&](const std::vector<std::string>& words, int code, const char* part) {
    std::vector<std::string> arguments = {"predict"};
    arguments.insert(arguments.end(), words.begin(), words.end());
    const ProcessResult result = opencd(arguments);
    CHECK_EQ(result.exit_code, code);
    CHECK_CONTAINS(result.err, part);
  };
  check({run}, 2, "INPUT");
  check({run, "/nonexistent.png"}, 3, "no such file, folder or data set");
  check({run, folder.path()}, 3, "somewhere below it");
  check({run, "synthetic:size=28,per-class=2"}, 3, "trained for 16 x 16 x 3");
  check({run, "synthetic", "--none-below", "2"}, 2, "none-below");
  check({folder.path(), "synthetic"}, 3, "is no run");
}

TEST_SUITE_END();

}  // namespace opencd::test
