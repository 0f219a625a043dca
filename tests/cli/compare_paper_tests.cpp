// Every table and figure of the paper as docs/COMPARE.md has it made, on sets of seconds: what is tried
// here is that each command works and leaves what it says, not what the methods are worth.
#include "cli/tiny_run.hpp"
#include "data/open_data_set.hpp"
#include "data/png_writer.hpp"
#include "support/message.hpp"

#include <map>
#include <set>

namespace opencd::test {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr const char* kPaperSet = "synthetic:classes=4,per-class=40,size=16";

/// Runs of a second; `more` stands in for the values it names again.
ProcessResult try_out(const fs::path& out,
                      const std::vector<std::string>& more,
                      const std::string& set = kPaperSet) {
  std::vector<std::string> words = {"compare", set, "--out", out.string()};
  const std::map<std::string, std::string> values = {
      {"--width", "8"},           {"--crop", "0"},         {"--batch", "32"},
      {"--epochs", "3"},          {"--prototypes", "12"},  {"--warm-epochs", "1"},
      {"--eval-every", "0"},      {"--save-every", "0"},   {"--freeze-until", "none"},
      {"--labeled-ratio", "0.5"}, {"--progress", "never"}, {"--log-level", "error"}};
  for (const auto& [name, value] : values)
    if (std::find(more.begin(), more.end(), name) == more.end())
      words.insert(words.end(), {name, value});
  words.insert(words.end(), more.begin(), more.end());
  return opencd(words);
}

/// The lines of a table below its header.
std::vector<std::string> table_rows(const fs::path& file) {
  std::istringstream text(text_of(file));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  REQUIRE_FALSE(lines.empty());
  lines.erase(lines.begin());
  return lines;
}

Json recorded_settings(const fs::path& run) { return json_of(run / "args.json").at("settings"); }

std::string source_of(const Json& settings, const char* key) {
  return settings.at(key).at("source").get<std::string>();
}

/// As many pictures of a synthetic set as files, a folder a class, and a list of all classes but one.
fs::path write_class_folders(const TemporaryFolder& folder) {
  const data::ImageSet set = data::open_data_set("synthetic:classes=7,per-class=6,size=32");
  std::string list = "# all but the third, the last one first\n";
  for (const int label : {6, 0, 1, 3, 4, 5}) list += "class" + std::to_string(label) + "\n";
  for (std::size_t row = 0; row < set.train.size(); ++row) {
    const fs::path place =
        folder / "imagenet" / "train" / ("class" + std::to_string(set.train.labels[row]));
    fs::create_directories(place);
    const auto pixels = set.train_row(row);
    data::write_png({32, 32, {pixels.begin(), pixels.end()}},
                    place / (std::to_string(row) + ".png"));
  }
  return folder.put("imagenet-6.txt", list);
}

}  // namespace

TEST_SUITE_BEGIN("cli/compare_paper");

TEST_CASE("table 1 and that of 50 % labels: methods, and OpenNCD by its presets under one budget") {
  const TemporaryFolder folder;
  const fs::path out = folder / "c";
  const ProcessResult result =
      try_out(out, {"--classes", "4", "--labeled-ratio", "0.5", "--tau", "0.2", "--preset", "small",
                    "--methods", "opencd+,opencd-code,opencd-paper,simclr-kmeans,orca"});
  CHECK_EQ(result.err, "");
  REQUIRE_EQ(result.exit_code, 0);
  const std::vector<std::string> rows = table_rows(out / "methods.csv");
  REQUIRE_EQ(rows.size(), 5);
  CHECK_CONTAINS(rows[1], "opencd-code,1,");
  CHECK_CONTAINS(rows[2], "opencd-paper,1,");

  const Json paper = recorded_settings(out / "opencd-paper-2023");
  CHECK_EQ(paper.at("method").at("value"), "opencd");
  CHECK_EQ(paper.at("preset").at("value"), "paper,small");
  for (const char* key : {"kappa", "affinity", "losses"}) CHECK_EQ(source_of(paper, key), "preset");
  CHECK_EQ(paper.at("affinity").at("value"), "jaccard");
  CHECK_EQ(paper.at("frozen-norm").at("value"), "fixed");  // of the budget
  CHECK_EQ(source_of(paper, "frozen-norm"), "preset");
  for (const char* key : {"tau", "prototypes", "epochs", "width", "data"})
    CHECK_EQ(source_of(paper, key), "flag");  // the user's word stands
  CHECK_EQ(paper.at("epochs").at("value"), 3);
  CHECK_EQ(source_of(paper, "seed"), "compare");
  CHECK_FALSE(paper.contains("methods"));  // of the comparison, not of the run

  const Json code = recorded_settings(out / "opencd-code-2023");
  CHECK_EQ(code.at("preset").at("value"), "code,small");
  CHECK_EQ(code.at("affinity").at("value"), "overlap");
  CHECK_EQ(code.at("epochs"), paper.at("epochs"));
  CHECK_EQ(recorded_settings(out / "opencd+-2023").at("preset").at("value"), "small");
}

TEST_CASE("the table of class numbers, with 0 % labels, and the figure of groups over epochs") {
  const TemporaryFolder folder;
  const fs::path out = folder / "c";
  const ProcessResult result = try_out(
      out, {"--classes", "4", "--preset", "paper", "--seeds", "0,1", "--autoencoder-epochs", "2",
            "--counters",
            "xmeans,gmeans,dipdeck,opencd-paper-unlabelled,opencd-paper,opencd-code,opencd+"});
  CHECK_EQ(result.err, "");
  REQUIRE_EQ(result.exit_code, 0);
  const std::vector<std::string> rows = table_rows(out / "counters.csv");
  REQUIRE_EQ(rows.size(), 7);
  CHECK_CONTAINS(rows[3], "opencd-paper-unlabelled,2,");
  CHECK_CONTAINS(rows[4], "opencd-paper,2,");
  const auto unlabelled = json_of(out / "opencd-paper-unlabelled-0/eval/summary.json");
  CHECK_EQ(unlabelled.at("rows"), 160);  // every training row
  CHECK_GE(unlabelled.at("classes_found").get<int>(), 1);
  CHECK_EQ(recorded_settings(out / "opencd-paper-auto-0").at("classes").at("value"), "auto");

  // A form of OpenNCD has nothing of another preset that is in force.
  const Json code = recorded_settings(out / "opencd-code-auto-0");
  CHECK_EQ(code.at("preset").at("value"), "code");
  CHECK_EQ(code.at("affinity").at("value"), "overlap");
  CHECK_EQ(code.at("lambda-reg").at("value"), 10.0);

  std::set<std::string> lines;
  for (const std::string& row : table_rows(out / "group-evolution.csv"))
    lines.insert(row.substr(0, row.find(',', row.find(',') + 1)));
  for (const char* line : {"opencd-paper-auto,0", "opencd-paper-auto,1",
                           "opencd-paper-unlabelled,0", "opencd-code-auto,1", "opencd+-auto,1"})
    CHECK_MESSAGE(lines.contains(line), line);
  CHECK_CONTAINS(table_rows(out / "group-evolution.csv").at(0), "0,0,12");  // every prototype alone
  const std::string page = text_of(out / "comparison.html");
  CHECK_CONTAINS(page, "id=\"group-evolution\"");
  CHECK_CONTAINS(page, "seed 1: 12 at epoch 0");
}

TEST_CASE("every form of OpenNCD trains without any labels, the number told or not") {
  const TemporaryFolder folder;
  for (const char* classes : {"auto", "4"}) {
    const fs::path out = folder / classes;
    const ProcessResult result = try_out(out, {"--classes", classes, "--labeled-ratio", "0",
                                               "--methods", "opencd-code,opencd-paper,opencd+"});
    CHECK_EQ(result.err, "");
    REQUIRE_EQ(result.exit_code, 0);
    for (const char* run : {"opencd-code-2023", "opencd-paper-2023", "opencd+-2023"})
      CHECK_EQ(json_of(out / run / "eval/summary.json").at("rows"), 160);
  }
}

TEST_CASE("the form of ImageNet-100: a folder, a list of its classes, views of 224 pixels") {
  const TemporaryFolder folder;
  const std::string list = write_class_folders(folder).string();
  const std::string set = (folder / "imagenet").string();
  const fs::path out = folder / "c";
  const ProcessResult result = try_out(
      out,
      {"--class-list", list,     "--classes",     "6",      "--image-size", "256",         "--crop",
       "224",          "--arch", "resnet18",      "--stem", "imagenet",     "--batch",     "8",
       "--epochs",     "1",      "--warm-epochs", "0",      "--methods",    "opencd-paper"},
      set);
  CHECK_EQ(result.err, "");
  REQUIRE_EQ(result.exit_code, 0);
  CHECK_CONTAINS(result.out, "# Comparison on imagenet-6");
  const Json runs = json_of(out / "runs.json");
  CHECK_EQ(runs.at("rows"), 36);
  CHECK_EQ(runs.at("classes"), 6);
  // The known classes are the first of the list, and the run finds its pictures again.
  const std::string classes = text_of(out / "opencd-paper-2023/eval/per_class.csv");
  for (const char* line : {"\nclass6,yes,", "\nclass0,yes,", "\nclass1,yes,", "\nclass3,no,"})
    CHECK_CONTAINS("\n" + classes, line);
  CHECK_FALSE(contains(classes, "class2"));
  const ProcessResult again = opencd({"evaluate", (out / "opencd-paper-2023").string(), "--json"});
  CHECK_EQ(again.exit_code, 0);
  CHECK_FALSE(contains(again.err, "has changed"));
  const ProcessResult deeper = try_out(
      folder / "r50",
      {"--class-list", list,     "--classes",     "6",      "--image-size", "64",         "--crop",
       "56",           "--arch", "resnet50",      "--stem", "imagenet",     "--batch",    "8",
       "--epochs",     "1",      "--warm-epochs", "0",      "--methods",    "opencd-code"},
      set);
  CHECK_EQ(deeper.err, "");
  CHECK_EQ(deeper.exit_code, 0);
}

TEST_CASE("ablation and sweeps are of OpenNCD as published, whatever else is in force") {
  const TemporaryFolder folder;
  const fs::path out = folder / "c";
  const ProcessResult result =
      try_out(out, {"--classes", "4", "--preset", "small", "--epochs", "2", "--ablation", "--sweep",
                    "prototypes=8,12,20", "--sweep", "lambda-reg=0,10,5", "--sweep",
                    "lambda-ce=0,5", "--sweep", "known=1,2,3"});
  CHECK_EQ(result.err, "");
  REQUIRE_EQ(result.exit_code, 0);
  REQUIRE_EQ(table_rows(out / "ablation.csv").size(), 5);
  CHECK_CONTAINS(table_rows(out / "ablation.csv").at(1), "opencd,without L_ce,1,");
  CHECK_CONTAINS(table_rows(out / "ablation.csv").at(4), "opencd,full,1,");
  CHECK_CONTAINS(table_rows(out / "sweep-prototypes.csv").at(0), "8,opencd,1,");
  CHECK_EQ(recorded_settings(out / "opencd-prototypes-20-2023").at("prototypes").at("value"), 20);
  CHECK_EQ(recorded_settings(out / "opencd-lambda-ce-5-2023").at("lambda-ce").at("value"), 5.0);
  CHECK_EQ(table_rows(out / "sweep-known.csv").size(), 3);
  // The weight of L_reg in the authors' program is 10: that run is there already, as is the one without.
  CHECK_FALSE(fs::exists(out / "opencd-lambda-reg-10-2023"));
  CHECK_EQ(table_rows(out / "sweep-lambda-reg.csv").size(), 3);
  // The form that is compared is the one that is taken apart.
  const fs::path code = folder / "code";
  REQUIRE_EQ(
      try_out(code, {"--classes", "4", "--epochs", "1", "--methods", "opencd-code", "--ablation"})
          .exit_code,
      0);
  CHECK_CONTAINS(table_rows(code / "ablation.csv").at(0), "opencd-code,without L_reg,1,");
}

TEST_CASE("the figure of features: backbone, ORCA and OpenNCD side by side") {
  const TemporaryFolder folder;
  const fs::path out = folder / "c";
  const ProcessResult result =
      try_out(out, {"--classes", "4", "--seeds", "0,1", "--epochs", "2", "--maps", "60",
                    "--methods", "simclr-kmeans,orca,opencd-paper"});
  CHECK_EQ(result.err, "");
  REQUIRE_EQ(result.exit_code, 0);
  const std::string page = text_of(out / "comparison.html");
  CHECK_CONTAINS(page, "id=\"maps\"");
  CHECK_EQ(count_of(page, "class=\"chart map-panel\""), 3);  // the first seed's
  CHECK_CONTAINS(page, "60 rows, 12 prototypes in ");
  CHECK(fs::exists(out / "opencd-paper-0/embeddings/tsne.npy"));
  CHECK_FALSE(fs::exists(out / "opencd-paper-1/embeddings"));

  // Again: nothing is computed anew, and the tables can be made from runs.json alone.
  const auto written = fs::last_write_time(out / "opencd-paper-0/embeddings/tsne.npy");
  REQUIRE_EQ(try_out(out, {"--classes", "4", "--seeds", "0,1", "--epochs", "2", "--maps", "60",
                           "--methods", "simclr-kmeans,orca,opencd-paper"})
                 .exit_code,
             0);
  CHECK(written == fs::last_write_time(out / "opencd-paper-0/embeddings/tsne.npy"));
  CHECK_EQ(text_of(out / "comparison.html"), page);
  const std::string file = (out / "runs.json").string();
  const ProcessResult tables = opencd({"compare", "--from", file});
  CHECK_EQ(tables.exit_code, 0);
  CHECK_EQ(tables.out, text_of(out / "tables.md") + "\n");
  CHECK_CONTAINS(tables.out, "All runs: opencd_sycl ");

  // Each run says what would make it again, and what it was made with.
  const Json runs = json_of(out / "runs.json").at("runs");
  REQUIRE_EQ(runs.size(), 6);
  for (const Json& run : runs) {
    CHECK_EQ(run.at("state"), "done");
    for (const char* key : {"version", "commit", "cpu", "device", "command"})
      CHECK_NE(run.at(key).get<std::string>(), "");
    CHECK_GE(run.at("cores").get<int>(), 1);
    CHECK_GT(run.at("seconds").get<double>(), 0.0);
  }
  const auto command = runs[2].at("command").get<std::string>();
  CHECK_EQ(runs[2].at("run"), "opencd-paper-0");
  CHECK_CONTAINS(command, "opencd_sycl train synthetic:classes=4,per-class=40,size=16 ");
  CHECK_CONTAINS(command, "--preset paper");
  CHECK_CONTAINS(command, "--prototypes 12");
  CHECK_FALSE(contains(command, "--out"));

  std::string mixed = text_of(file);
  const auto commit = runs[0].at("commit").get<std::string>();
  mixed.replace(mixed.find(commit), commit.size(), "0000000");
  const ProcessResult said =
      opencd({"compare", "--from", folder.put("mixed.json", mixed).string()});
  CHECK_EQ(said.exit_code, 0);
  CHECK_CONTAINS(said.out, "NOT ALL OF ONE COMMIT");
  CHECK_CONTAINS(said.out, "(commit 0000000): simclr-kmeans-0");
  CHECK_EQ(opencd({"compare", "--from", folder.put("x.json", "{}").string()}).exit_code, 3);
  CHECK_EQ(opencd({"compare"}).exit_code, 2);
}

TEST_SUITE_END();

}  // namespace opencd::test
