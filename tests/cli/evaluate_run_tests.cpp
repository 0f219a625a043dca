// `evaluate RUN` as a user runs it: the scores of `train`, from the checkpoint alone.
#include "cli/beaten_answers.hpp"
#include "cli/tiny_run.hpp"
#include "support/message.hpp"

namespace opencd::test {

namespace {

using Json = nlohmann::json;

/// All but what may differ between two evaluations of one model.
Json scores(Json summary) {
  for (const char* key : {"seconds", "epochs", "run", "checkpoint", "data"}) summary.erase(key);
  return summary;
}

}  // namespace

TEST_SUITE_BEGIN("cli/evaluate_run");

TEST_CASE("evaluate gives the numbers and the files that train gave") {
  const TinyRun& run = tiny_run();
  const TemporaryFolder folder;
  const std::string out = folder / "eval";
  const ProcessResult result = opencd({"evaluate", run.path(), "-o", out, "--json", "--quiet"});
  CHECK_EQ(result.exit_code, 0);
  CHECK_EQ(result.err, "");
  const Json summary = Json::parse(result.out);
  CHECK_EQ(scores(summary), scores(run.summary()));
  CHECK_EQ(summary.at("preset"), "plus");
  CHECK_EQ(summary.at("split"), "unlabelled training rows");
  CHECK_EQ(summary.at("test").at("rows"), 72);
  for (const char* key : {"orca", "gcd_v1", "gcd_v2"})
    for (const char* rows : {"known", "novel", "all"})
      CHECK(summary.at(key).at(rows).is_number_float());
  for (const char* file :
       {"confusion.csv", "per_class.csv", "predictions.csv", "calibration.json", "reference.npy"})
    CHECK_EQ(text_of(folder / "eval" / file), text_of(run / "eval" / file));
  CHECK_EQ(scores(json_of(folder / "eval" / "summary.json")),
           scores(json_of(run / "eval" / "summary.json")));
}

TEST_CASE("evaluate prints the tables of train, and files go into the run") {
  const TemporaryFolder folder;
  const std::string run = tiny_run().copy_to(folder);
  std::filesystem::remove_all(run + "/eval");
  const ProcessResult result = opencd({"evaluate", run + "/checkpoints/last"});
  CHECK_EQ(result.exit_code, 0);
  CHECK_CONTAINS(result.out, "unlabelled training rows: ");
  CHECK_CONTAINS(result.out, "72 held-out test rows: ");
  CHECK_CONTAINS(result.out, "gcd v2");
  CHECK(std::filesystem::exists(run + "/eval/predictions.csv"));
}

TEST_CASE("another set is scored as such, with classes matched by name") {
  const TinyRun& run = tiny_run();
  const TemporaryFolder folder;
  const ProcessResult result =
      opencd({"evaluate", run.path(), "synthetic:classes=8,per-class=20,seed=5", "-o",
              folder / "eval", "--json"});
  CHECK_EQ(result.exit_code, 0);
  CHECK_CONTAINS(result.err, "classes are matched by name");
  const Json summary = Json::parse(result.out);
  CHECK_EQ(summary.at("split"), "training rows of another set");
  CHECK_EQ(summary.at("rows"), 160);
  CHECK_EQ(summary.at("classes_true"), 8);
  // The same classes, new pictures of them: known ones are known here too.
  const std::vector<std::int32_t> truth = true_classes(folder / "eval");
  const TrivialScores trivial =
      trivial_scores(truth.size(), 6, [&](const std::vector<std::int32_t>& answer) {
        return orca_accuracy(count_contingency(answer, truth, 6, 8), 3).known.fraction();
      });
  CHECK_GE(summary.at("orca").at("known").get<double>(), trivial.best() + 0.15);
  const ProcessResult inside = opencd({"evaluate", run.path(), "synthetic:classes=8,per-class=20"});
  CHECK_EQ(inside.exit_code, 0);
  CHECK(std::filesystem::exists(run / "eval-synthetic" / "summary.json"));
  std::filesystem::remove_all(run / "eval-synthetic");
}

TEST_CASE("a damaged newest checkpoint is named and the one before it scored") {
  const TemporaryFolder folder;
  const std::string run = tiny_run().copy_to(folder);
  std::filesystem::resize_file(run + "/checkpoints/last/model.safetensors", 1000);
  const ProcessResult result = opencd({"evaluate", run, "-o", folder / "eval", "--json"});
  CHECK_EQ(result.exit_code, 0);
  CHECK_CONTAINS(result.err, "refused checkpoint epoch-0012");
  CHECK_EQ(Json::parse(result.out).at("checkpoint"), "epoch-0010");
}

TEST_CASE("a damaged args.json is refused by name, as bad input") {
  const TemporaryFolder folder;
  const std::string run = tiny_run().copy_to(folder);
  for (const char* text :
       {"", "[]", "5", R"({"settings": 5})", R"({"settings": {"data": 5}})",
        R"({"settings": {"data": {"value": [1]}}})", R"({"settings": {"preset": {}}})"}) {
    CAPTURE(text);
    folder.put("copy/args.json", text);
    const ProcessResult result = opencd({"evaluate", run, "-o", folder / "eval"});
    CHECK_EQ(result.exit_code, 3);
    CHECK_CONTAINS(result.err, "args.json");
  }
  folder.put("copy/args.json", R"({"settings": {"preset": {}}})");
  const ProcessResult given = opencd({"evaluate", run, TinyRun::kData, "-o", folder / "eval"});
  CHECK_EQ(given.exit_code, 3);
  CHECK_CONTAINS(given.err, "args.json");
}

TEST_CASE("a lone checkpoint needs DATA and a folder, and says so") {
  const TemporaryFolder folder;
  std::filesystem::copy(tiny_run() / "checkpoints/last", folder / "model",
                        std::filesystem::copy_options::recursive);
  const std::string model = folder / "model";
  const ProcessResult no_data = opencd({"evaluate", model});
  CHECK_EQ(no_data.exit_code, 2);
  CHECK_CONTAINS(no_data.err, "give DATA");
  const ProcessResult no_folder = opencd({"evaluate", model, TinyRun::kData});
  CHECK_EQ(no_folder.exit_code, 2);
  CHECK_CONTAINS(no_folder.err, "-o");
  const ProcessResult result =
      opencd({"evaluate", model, TinyRun::kData, "-o", folder / "eval", "--json"});
  CHECK_EQ(result.exit_code, 0);
  CHECK_EQ(Json::parse(result.out).at("split"), "all training rows");
}

TEST_CASE("bad use ends with its exit code and a sentence") {
  const TinyRun& run = tiny_run();
  const TemporaryFolder folder;
  const auto check = [&](const std::vector<std::string>& words, int code, const char* part) {
    std::vector<std::string> arguments = {"evaluate"};
    arguments.insert(arguments.end(), words.begin(), words.end());
    const ProcessResult result = opencd(arguments);
    CHECK_EQ(result.exit_code, code);
    CHECK_CONTAINS(result.err, part);
    CHECK_EQ(result.out, "");
  };
  check({folder.path().string()}, 3, "is no run");
  check({"/nonexistent"}, 3, "expected a run or a checkpoint");
  check({run.path(), "a", "b"}, 2, "RUN [DATA]");
  check({run.path(), "synthetic:size=20,per-class=5"}, 3, "trained for 16 x 16 x 3");
  check({run.path(), "--arch", "resnet20"}, 2, "--classifier");
  check({"--classifier", "synthetic"}, 2, "--arch and --weights");
  check({run.path(), "--checkpoint", "worst"}, 2, "worst");
}

TEST_SUITE_END();

}  // namespace opencd::test
