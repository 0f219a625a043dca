// `report RUN...` as a user runs it: one page from a run, whatever of it is there.
#include "cli/tiny_run.hpp"
#include "data/npy.hpp"
#include "support/message.hpp"

namespace opencd::test {

namespace {

using Json = nlohmann::json;

ProcessResult report(const std::vector<std::string>& words) {
  std::vector<std::string> arguments = {"report"};
  arguments.insert(arguments.end(), words.begin(), words.end());
  return opencd(arguments);
}

}  // namespace

TEST_SUITE_BEGIN("cli/report");

TEST_CASE("a run becomes a page with pictures and a map, whose features are kept and used again") {
  const TemporaryFolder folder;
  const std::string run = tiny_run().copy_to(folder);
  const ProcessResult made = report({run, "--map-points", "60", "--json"});
  CHECK_EQ(made.exit_code, 0);
  const Json said = Json::parse(made.out);
  CHECK_EQ(said.at("page"), run + "/report.html");
  CHECK_EQ(said.at("map_points"), 60);
  CHECK_EQ(said.at("groups"), 6);
  CHECK(said.at("pictures").get<bool>());
  const std::string page = text_of(run + "/report.html");
  CHECK_EQ(said.at("bytes"), page.size());
  CHECK_CONTAINS(page, "id=\"map-data\"");
  CHECK_CONTAINS(page, "most typical");
  CHECK_CONTAINS(page, "none of these");
  CHECK_CONTAINS(page, "Diamonds are the 24 prototypes");

  const auto features = data::read_npy(run + "/embeddings/features.npy");
  CHECK_EQ(features.shape, std::vector<std::size_t>{60 + 24, 32});
  CHECK_EQ(data::read_npy(run + "/embeddings/tsne.npy").shape, std::vector<std::size_t>{84, 2});
  // No device is asked for what is there already.
  const auto written = std::filesystem::last_write_time(run + "/embeddings/tsne.npy");
  CHECK_EQ(report({run, "--map-points", "60", "--device", "name~no such device"}).exit_code, 0);
  CHECK(written == std::filesystem::last_write_time(run + "/embeddings/tsne.npy"));
  CHECK_EQ(text_of(run + "/report.html"), page);
  // Other rows are another map.
  CHECK_EQ(report({run, "--map-points", "50"}).exit_code, 0);
  CHECK_EQ(data::read_npy(run + "/embeddings/tsne.npy").shape, std::vector<std::size_t>{74, 2});
}

TEST_CASE("the run keeps the words it was started with, and its page a command that repeats it") {
  const TemporaryFolder folder;
  const std::string run = tiny_run().copy_to(folder);
  const Json words = json_of(run + "/args.json").at("command_line");
  CHECK_EQ(words.at(0), OPENCD_PROGRAM);
  CHECK_EQ(words.at(1), "train");
  CHECK_EQ(words.back(), "8");  // --grouping-epochs
  CHECK_EQ(report({run, "--map-points", "0", "--sheet-pictures", "0"}).exit_code, 0);
  const std::string page = text_of(run + "/report.html");
  CHECK_CONTAINS(page, std::string("opencd_sycl train ") + TinyRun::kData + " --batch 64");
  CHECK_FALSE(contains(page, "data:image"));
}

TEST_CASE("names that were given are on the page") {
  const TemporaryFolder folder;
  const std::string run = tiny_run().copy_to(folder);
  REQUIRE_EQ(opencd({"name", run, "--set", "4=<b>sneaker</b>"}).exit_code, 0);
  CHECK_EQ(report({run, "--map-points", "0"}).exit_code, 0);
  const std::string page = text_of(run + "/report.html");
  CHECK_CONTAINS(page, "value=\"&lt;b&gt;sneaker&lt;/b&gt;\"");
  CHECK_FALSE(contains(page, "<b>sneaker"));
  CHECK_CONTAINS(page, "it was not asked for");
}

TEST_CASE("a run whose data set or checkpoint is gone, or that was not evaluated, has a page") {
  const TemporaryFolder folder;
  const std::string run = tiny_run().copy_to(folder);
  Json arguments = json_of(run + "/args.json");
  arguments["settings"]["data"]["value"] = folder / "gone";
  folder.put("copy/args.json", arguments.dump());
  const ProcessResult gone = report({run, "--json"});
  CHECK_EQ(gone.exit_code, 0);
  CHECK_FALSE(Json::parse(gone.out).at("pictures").get<bool>());
  CHECK_CONTAINS(text_of(run + "/report.html"), "the data set of the run is not there any more");
  std::filesystem::remove_all(run + "/eval");
  CHECK_EQ(report({run}).exit_code, 0);
  CHECK_CONTAINS(text_of(run + "/report.html"), "has not been evaluated");
  std::filesystem::remove_all(run + "/checkpoints");
  CHECK_EQ(report({run}).exit_code, 0);
  CHECK_CONTAINS(text_of(run + "/report.html"), "no checkpoint of the run can be read");
}

TEST_CASE("several runs are compared in a page of their own") {
  const TemporaryFolder folder;
  const std::string run = tiny_run().copy_to(folder);
  const std::string out = folder / "both.html";
  const ProcessResult both = report({tiny_run().path(), run, "-o", out, "--json"});
  CHECK_EQ(both.exit_code, 0);
  CHECK_EQ(Json::parse(both.out).at("runs").size(), 2);
  CHECK_CONTAINS(text_of(out), "±");
  CHECK_CONTAINS(text_of(out), "differ in nothing but their seeds");
}

TEST_CASE("nothing but a report is overwritten, and what is no run is refused") {
  const TemporaryFolder folder;
  const std::string run = tiny_run().copy_to(folder);
  folder.put("thesis.html", "my thesis");
  const ProcessResult other = report({run, "-o", folder / "thesis.html", "--map-points", "0"});
  CHECK_EQ(other.exit_code, 2);
  CHECK_CONTAINS(other.err, "is no report");
  CHECK_EQ(text_of(folder / "thesis.html"), "my thesis");
  const ProcessResult nothing = report({folder / "nothing"});
  CHECK_EQ(nothing.exit_code, 3);
  CHECK_CONTAINS(nothing.err, "is no run");
}

TEST_SUITE_END();

}  // namespace opencd::test
