// `compare` as a user runs it: several runs, their tables, and that no kill changes them.
#include "cli/tiny_run.hpp"
#include "files/sha256.hpp"
#include "support/message.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <map>

namespace opencd::test {

namespace {

namespace fs = std::filesystem;

constexpr const char* kTinySet = "synthetic:classes=4,per-class=40,size=16";

/// Runs of seconds; `more` stands in for the values it names again.
std::vector<std::string> tiny(const fs::path& out, const std::vector<std::string>& more) {
  std::vector<std::string> words = {"compare", kTinySet};
  const std::map<std::string, std::string> values = {
      {"--out", out.string()},    {"--preset", "code"},
      {"--width", "8"},           {"--crop", "0"},
      {"--classes", "4"},         {"--batch", "32"},
      {"--freeze-until", "none"}, {"--labeled-ratio", "0.5"},
      {"--prototypes", "12"},     {"--warm-epochs", "1"},
      {"--grouping-epochs", "2"}, {"--epochs", "3"},
      {"--eval-every", "0"},      {"--save-every", "1"},
      {"--progress", "never"},    {"--log-level", "error"}};
  for (const auto& [name, value] : values)
    if (std::find(more.begin(), more.end(), name) == more.end()) {
      words.push_back(name);
      words.push_back(value);
    }
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

ProcessResult compare(const fs::path& out,
                      const std::vector<std::string>& more,
                      const ProcessOptions& options = {}) {
  return opencd(tiny(out, more), options);
}

std::vector<std::string> lines_of(const fs::path& file) {
  std::istringstream text(text_of(file));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

const std::vector<std::string> kTwoByTwo = {"--methods", "opencd,simclr-kmeans", "--seeds", "0,1"};

}  // namespace

TEST_SUITE_BEGIN("cli/compare");

TEST_CASE("two methods and two seeds make four runs and a table of their scores") {
  const TemporaryFolder folder;
  const fs::path out = folder / "c";
  std::vector<std::string> words = kTwoByTwo;
  words.emplace_back("--json");
  const ProcessResult result = compare(out, words);
  CHECK_EQ(result.err, "");
  REQUIRE_EQ(result.exit_code, 0);
  const nlohmann::json said = nlohmann::json::parse(result.out);
  REQUIRE_EQ(said.at("runs").size(), 4);
  double sum = 0.0;
  for (const char* seed : {"0", "1"}) {
    const auto summary = json_of(out / ("opencd-" + std::string(seed)) / "eval/summary.json");
    sum += summary.at("orca").at("all").get<double>();
    const auto args = json_of(out / ("opencd-" + std::string(seed)) / "args.json");
    CHECK_EQ(args.at("settings").at("seed").at("source"), "compare");
    CHECK_EQ(args.at("settings").at("seed").at("value").dump(), seed);
  }
  const auto lines = lines_of(out / "methods.csv");
  REQUIRE_EQ(lines.size(), 3);
  CHECK_CONTAINS(lines[1], "opencd,2,");
  CHECK_CONTAINS(lines[1], fmt::format("{:.4f}", 50.0 * sum));
  CHECK_CONTAINS(lines[2], "simclr-kmeans,2,");
  CHECK_CONTAINS(text_of(out / "tables.md"), "| simclr-kmeans | ");
  const std::string page = text_of(out / "comparison.html");
  CHECK_CONTAINS(page, "Comparison on synthetic");
  CHECK_CONTAINS(page, "opencd-1");

  const auto written = fs::last_write_time(out / "opencd-0/eval/summary.json");
  REQUIRE_EQ(compare(out, kTwoByTwo).exit_code, 0);  // all is done
  CHECK_EQ(fs::last_write_time(out / "opencd-0/eval/summary.json"), written);
  CHECK_EQ(lines_of(out / "methods.csv"), lines);

  const ProcessResult other = compare(out, {"--tau", "0.2", "--seeds", "0"});
  CHECK_EQ(other.exit_code, 2);
  CHECK_CONTAINS(other.err, "tau");
}

TEST_CASE(
    "a comparison that would give other numbers is refused, and nothing of the first changes") {
  const TemporaryFolder folder;
  const fs::path out = folder / "c";
  std::vector<std::string> backbones;
  for (const char* seed : {"1", "2"}) {
    const fs::path run = folder / (std::string("backbone-") + seed);
    REQUIRE_EQ(opencd({"pretrain", kTinySet, "--width", "8", "--crop", "0", "--batch", "32",
                       "--epochs", "1", "--seed", seed, "-o", run, "--quiet"})
                   .exit_code,
               0);
    backbones.push_back(run / "backbone.safetensors");
  }
  // A counter and a method, and the same file under another name.
  const std::vector<std::string> words = {"--methods", "simclr-kmeans", "--counters", "xmeans",
                                          "--weights"};
  const auto with = [&](const std::string& weights) {
    std::vector<std::string> all = words;
    all.push_back(weights);
    return compare(out, all);
  };
  REQUIRE_EQ(with(backbones[0]).exit_code, 0);
  const std::string tables = text_of(out / "tables.md");
  const auto written = fs::last_write_time(out / "tables.md");
  const ProcessResult refused = with(backbones[1]);
  CHECK_EQ(refused.exit_code, 2);
  for (const std::string& backbone : backbones)
    CHECK_CONTAINS(refused.err, "backbone.safetensors (SHA-256 " +
                                    files::sha256_of_file(backbone).substr(0, 12) + ")");
  CHECK_CONTAINS(refused.err, "choose another folder");
  CHECK_EQ(fs::last_write_time(out / "tables.md"), written);
  fs::remove_all(out / "simclr-kmeans-2023");
  CHECK_CONTAINS(with(backbones[1]).err, "xmeans-2023");  // the counter's run is refused as well
  fs::copy_file(backbones[0], folder / "again.safetensors");
  REQUIRE_EQ(with(folder / "again.safetensors").exit_code, 0);
  CHECK_EQ(text_of(out / "tables.md"), tables);
}

TEST_CASE("killed in the middle and given again, a comparison ends with the same tables") {
  const TemporaryFolder folder;
  REQUIRE_EQ(compare(folder / "whole", kTwoByTwo).exit_code, 0);
  // Killed in its first run and in its second, then stopped in its third.
  const auto is_begun = [&](const char* run) {
    return [file = folder / "killed" / run / "checkpoints"] { return fs::exists(file); };
  };
  CHECK_EQ(compare(folder / "killed", kTwoByTwo, {.signal = SIGKILL, .when = is_begun("opencd-0")})
               .exit_code,
           128 + SIGKILL);
  CHECK_EQ(compare(folder / "killed", kTwoByTwo,
                   {.signal = SIGKILL, .when = is_begun("simclr-kmeans-0")})
               .exit_code,
           128 + SIGKILL);
  CHECK_EQ(compare(folder / "killed", kTwoByTwo, {.signal = SIGTERM, .when = is_begun("opencd-1")})
               .exit_code,
           143);
  REQUIRE_EQ(compare(folder / "killed", kTwoByTwo).exit_code, 0);
  for (const char* file : {"methods.csv", "tables.md"})
    CHECK_EQ(text_of(folder / "killed" / file), text_of(folder / "whole" / file));
}

TEST_CASE("counters, ablation and sweeps have tables of their own; equal runs are made once") {
  const TemporaryFolder folder;
  const fs::path out = folder / "c";
  const ProcessResult result = compare(
      out, {"--epochs", "2", "--counters", "xmeans,gmeans,opencd,opencd-unlabelled", "--ablation",
            "--sweep", "known=1,2", "--sweep", "lambda-reg=0,0.5,10", "--seed", "3"});
  CHECK_EQ(result.err, "");
  REQUIRE_EQ(result.exit_code, 0);
  CHECK_CONTAINS(result.out, "## The number of classes");
  CHECK_EQ(lines_of(out / "counters.csv").size(), 5);
  CHECK_CONTAINS(lines_of(out / "counters.csv").at(4), "opencd-unlabelled,1,");
  CHECK_EQ(lines_of(out / "ablation.csv").size(), 6);
  CHECK_EQ(lines_of(out / "sweep-known.csv").size(), 3);
  CHECK_CONTAINS(lines_of(out / "sweep-known.csv").at(0), "known_classes,method,");
  CHECK_CONTAINS(lines_of(out / "sweep-lambda-reg.csv").at(2), "0.5,opencd,1,");
  CHECK_CONTAINS(lines_of(out / "ablation.csv").at(5), "full,1,");
  std::size_t runs = 0;
  for (const auto& entry : fs::directory_iterator(out)) runs += entry.is_directory() ? 1 : 0;
  // "full", two known classes and the weight of 10 are the method's own run, the weight of 0 is one
  // of the ablation's.
  CHECK_EQ(runs, 1 + 4 + 4 + 1 + 1);
  CHECK_EQ(json_of(out / "opencd-no-ce-3/args.json").at("key_settings").at("lambda-ce"), 0.0);
  CHECK_EQ(json_of(out / "opencd-auto-3/args.json").at("key_settings").at("classes"), "auto");
  const auto unlabelled = json_of(out / "opencd-unlabelled-3/eval/summary.json");
  CHECK_EQ(unlabelled.at("rows"), 160);  // every training row
  CHECK_EQ(json_of(out / "xmeans-3/eval/summary.json").at("rows"),
           json_of(out / "opencd-3/eval/summary.json").at("rows"));
}

TEST_CASE("a run that fails is told of, the others go on, and the exit code says so") {
  const TemporaryFolder folder;
  const fs::path out = folder / "c";
  // Three prototypes cannot stand for four classes; k-means has none.
  const ProcessResult result =
      compare(out, {"--prototypes", "3", "--methods", "opencd,simclr-kmeans", "--seeds", "0"});
  CHECK_EQ(result.exit_code, 2);
  CHECK_CONTAINS(result.err, "run 1/2 opencd-0 failed");
  CHECK_CONTAINS(result.out, "| opencd | – |");
  const auto lines = lines_of(out / "methods.csv");
  CHECK_CONTAINS(lines.at(1), "opencd,0,");
  CHECK_CONTAINS(lines.at(2), "simclr-kmeans,1,");
  const auto runs = json_of(out / "runs.json").at("runs");
  CHECK_EQ(runs[0].at("state"), "failed");
  CHECK_CONTAINS(runs[0].at("failure").get<std::string>(), "--prototypes 4");
  CHECK_EQ(runs[1].at("state"), "done");
}

TEST_CASE("wrong usage is refused before anything runs") {
  const TemporaryFolder folder;
  const fs::path out = folder / "c";
  CHECK_EQ(compare(out, {"--methods", "guess"}).exit_code, 2);
  CHECK_EQ(compare(out, {"--methods", "simclr"}).exit_code, 2);  // it discovers nothing
  CHECK_EQ(compare(out, {"--counters", "guess"}).exit_code, 2);
  CHECK_CONTAINS(compare(out, {"--sweep", "tau=1"}).err,
                 "known, prototypes, lambda-reg or lambda-ce");
  CHECK_CONTAINS(compare(out, {"--sweep", "known=1,x"}).err, "'x'");
  CHECK_CONTAINS(compare(out, {"--sweep", "lambda-ce=1,nan"}).err, "'nan'");
  CHECK_EQ(compare(out, {"--sweep", "known=9"}).exit_code, 2);
  for (const char* methods : {"opencd,orca", "all"})
    CHECK_CONTAINS(compare(out, {"--methods", methods, "--classes", "auto"}).err,
                   "[orca] this method cannot count classes");
  CHECK_CONTAINS(compare(out, {"--methods", "opencd", "--classes", "1"}).err, "2 known classes");
  REQUIRE_EQ(opencd({"data", "split", kTinySet, "--out", (folder / "s").string()}).exit_code, 0);
  const fs::path splits = folder / "s" / "splits.json";
  CHECK_CONTAINS(opencd({"compare", kTinySet, "--out", out.string(), "--splits", splits.string(),
                         "--counters", "opencd-unlabelled"})
                     .err,
                 "--splits says already which rows and classes are known");
  CHECK_FALSE(fs::exists(out));
}

TEST_SUITE_END();

}  // namespace opencd::test
