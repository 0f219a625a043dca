// Labels that the split hides are for scores. Two sets of the same pictures and the same labelled rows, whose hidden labels
// and held-out labels differ, must give the same run in every byte that is no score, by whatever method.
#include "data/npy_writer.hpp"
#include "data/open_data_set.hpp"
#include "data/split_file.hpp"
#include "error.hpp"
#include "opencd/methods/registry.hpp"
#include "support/message.hpp"
#include "support/planted_features.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace opencd::test {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using Labels = std::vector<std::int32_t>;

constexpr std::size_t kClasses = 4;
constexpr std::size_t kKnown = 2;

/// As IDX files have it: two zero bytes, unsigned bytes, the extents.
std::string idx(const std::vector<std::size_t>& extents, const std::string& values) {
  std::string bytes = {0, 0, 8, static_cast<char>(extents.size())};
  for (const std::size_t extent : extents)
    for (const int shift : {24, 16, 8, 0}) bytes += static_cast<char>(extent >> shift);
  return bytes + values;
}

void write_rows(const TemporaryFolder& folder,
                const std::string& prefix,
                const data::ImageRows& rows,
                const data::ImageShape& shape,
                const Labels& labels) {
  std::string pixels;
  const auto all = rows.pixels.view();
  for (std::size_t i = 0; i < all.size(); i += shape.channels) pixels += static_cast<char>(all[i]);
  folder.put(prefix + "-images-idx3-ubyte", idx({rows.size(), shape.height, shape.width}, pixels));
  folder.put(prefix + "-labels-idx1-ubyte",
             idx({rows.size()}, std::string(labels.begin(), labels.end())));
}

/// Hidden labels in reverse order and each the next class: other classes, other sizes, other share of new ones.
Labels disturbed(const Labels& labels, const std::vector<std::uint32_t>& hidden) {
  Labels result = labels;
  for (std::size_t i = 0; i < hidden.size(); ++i)
    result[hidden[i]] = (labels[hidden[hidden.size() - 1 - i]] + 1) % std::int32_t{kClasses};
  return result;
}

/// The pictures twice, with true hidden labels and with others, and the same split of both.
struct TwoSets {
  TemporaryFolder folder;
  std::vector<fs::path> sets;
  std::vector<fs::path> splits;

  TwoSets() {
    const data::ImageSet made = data::open_data_set("synthetic:classes=4,per-class=40,size=12", {});
    const data::OpenWorldSplit split =
        data::open_world_split(made, {.known = kKnown, .labeled_ratio = 0.5});
    std::vector<std::uint32_t> held_out(made.test.size());
    for (std::uint32_t row = 0; row < held_out.size(); ++row) held_out[row] = row;
    for (const bool other : {false, true}) {
      const std::string name = other ? "other" : "true";
      fs::create_directories(folder / name);
      const auto labels = [&](const data::ImageRows& rows,
                              const std::vector<std::uint32_t>& hidden) {
        const Labels own(rows.labels.begin(), rows.labels.end());
        return other ? disturbed(own, hidden) : own;
      };
      write_rows(folder, name + "/train", made.train, made.shape,
                 labels(made.train, split.unlabeled));
      write_rows(folder, name + "/t10k", made.test, made.shape, labels(made.test, held_out));
      sets.push_back(folder / name);
      data::OpenWorldSplit own = split;
      own.data_hash = data::open_data_set(sets.back().string(), {}).hash;
      splits.push_back(folder / (name + ".json"));
      data::write_split(own, splits.back());
    }
  }

  fs::path train(std::size_t which,
                 const std::string& method,
                 std::vector<std::string> more) const {
    const fs::path run = folder / fmt::format("{}-{}-{}", method, which, folder.entries());
    std::vector<std::string> words = {"train",
                                      sets[which],
                                      "--splits",
                                      splits[which],
                                      "--method",
                                      method,
                                      "--width",
                                      "4",
                                      "--batch",
                                      "16",
                                      "--epochs",
                                      "3",
                                      "--crop",
                                      "0",
                                      "--freeze-until",
                                      "none",
                                      "--prototypes",
                                      "12",
                                      "--warm-epochs",
                                      "1",
                                      "--grouping-epochs",
                                      "2",
                                      "--save-every",
                                      "1",
                                      "--keep-last",
                                      "0",
                                      "--quiet",
                                      "-o",
                                      run};
    words.insert(words.end(), more.begin(), more.end());
    const ProcessResult result = opencd(words);
    CHECK_EQ(result.err, "");
    REQUIRE_EQ(result.exit_code, 0);
    return run;
  }
};

const TwoSets& two_sets() {
  static const TwoSets sets;
  return sets;
}

Json without(Json object, const std::vector<std::string>& keys) {
  for (const std::string& key : keys) object.erase(key);
  return object;
}

std::vector<std::string> split_at(const std::string& text, char mark) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, mark);) parts.push_back(part);
  return parts;
}

const std::vector<std::string> kScoreColumns = {"val/known", "val/novel", "val/all", "val/nmi",
                                                "val/ari"};

/// A table without the columns that are scores or the truth.
std::string table_without(const std::string& text, const std::vector<std::string>& dropped) {
  std::string kept;
  std::vector<std::string> header;
  for (const std::string& line : split_at(text, '\n')) {
    const std::vector<std::string> cells = split_at(line, ',');
    if (header.empty()) header = cells;
    for (std::size_t i = 0; i < cells.size(); ++i)
      if (std::find(dropped.begin(), dropped.end(), header.at(i)) == dropped.end())
        kept += cells[i] + ",";
    kept += '\n';
  }
  return kept;
}

/// What of a file of a run is no score, time, or hash of all labels; nothing for files that are no more than that. Fails
/// for a file that nobody has thought about.
std::optional<std::string> evidence(const fs::path& run, const fs::path& file) {
  const std::string name = file.filename().string();
  const std::string text = fs::is_symlink(run / file) ? "" : text_of(run / file);
  if (fs::is_symlink(run / file)) return fs::read_symlink(run / file).string();
  if (name == "model.safetensors" || name == "state.safetensors" || name == "calibration.json" ||
      name == "reference.npy")
    return text;
  if (name == "args.json")
    return without(Json::parse(text).at("key_settings"), {"data", "split"}).dump();
  if (name == "splits.json") return without(Json::parse(text), {"data_hash", "hash"}).dump();
  if (name == "state.json") {
    Json state = Json::parse(text);
    state["model"] = without(state.at("model"), {"data_hash", "split_hash"});
    return state.dump();
  }
  if (name == "SHA256SUMS") return text.substr(0, text.rfind('\n', text.find("state.json")));
  if (name == "metrics.csv") return table_without(text, kScoreColumns);
  if (name == "metrics.jsonl") {
    std::string lines;
    for (const std::string& line : split_at(text, '\n'))
      lines += without(Json::parse(line), kScoreColumns).dump() + "\n";
    return lines;
  }
  if (name == "predictions.csv") return table_without(text, {"class"});
  if (name == "summary.json")
    return without(Json::parse(text),
                   {"orca", "gcd_v1", "gcd_v2", "nmi", "ari", "classes_true", "test", "seconds"})
        .dump();
  const std::set<std::string> nothing_else = {"confusion.csv", "per_class.csv",     // scores
                                              "log.txt", "time.json", "env.json"};  // and times
  // TensorBoard's file has the records of metrics.jsonl, with times.
  if (!nothing_else.contains(name) && !name.starts_with("events.out.tfevents."))
    FAIL_CHECK("nobody says whether hidden labels may show in " << file);
  return std::nullopt;
}

std::map<std::string, std::string> evidence_of(const fs::path& run) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(run)) {
    if (entry.is_directory() && !entry.is_symlink()) continue;
    const fs::path file = fs::relative(entry.path().parent_path(), run) / entry.path().filename();
    if (const auto text = evidence(run, file)) files[file.lexically_normal().string()] = *text;
  }
  return files;
}

bool counts_classes(const std::string& method) {
  try {
    check_class_number(method, kKnown, 0);
    return true;
  } catch (const UsageError&) {
    return false;
  }
}

bool is_oracle(const std::string& method) { return method == "fixmatch" || method == "ds3l"; }

}  // namespace

TEST_SUITE_BEGIN("cli/hidden_labels");

TEST_CASE("hidden labels change nothing of a run but its scores") {
  for (const std::string& method : method_names()) {
    CAPTURE(method);
    std::vector<std::string> more = {"--classes", counts_classes(method) ? "auto" : "4"};
    if (is_oracle(method)) more.insert(more.end(), {"--novel-share", "0.5"});
    const fs::path run = two_sets().train(0, method, more);
    const fs::path other = two_sets().train(1, method, more);
    const auto expected = evidence_of(run);
    const auto found = evidence_of(other);
    CHECK_EQ(found.size(), expected.size());
    for (const char* file : {"checkpoints/best", "checkpoints/last/../last",
                             "eval/calibration.json", "eval/predictions.csv", "metrics.jsonl"})
      if (!expected.contains(fs::path(file).lexically_normal().string()))
        FAIL_CHECK("there is no " << file);
    for (const auto& [file, text] : expected) {
      CAPTURE(file);
      REQUIRE(found.contains(file));
      CHECK((found.at(file) == text));
    }
    // The scores did see them: otherwise nothing was hidden from anybody.
    CHECK_NE(json_of(run / "eval/summary.json").at("orca"),
             json_of(other / "eval/summary.json").at("orca"));
  }
}

TEST_CASE("the two methods that are told the true share of new rows say so, and follow it") {
  for (const std::string& method : method_names()) {
    if (!is_oracle(method)) continue;
    CAPTURE(method);
    const fs::path run = two_sets().train(0, method, {"--classes", "4"});
    const fs::path other = two_sets().train(1, method, {"--classes", "4"});
    const auto share = [](const fs::path& path) {
      return json_of(path / "args.json").at("settings").at("novel-share");
    };
    CHECK_EQ(share(run).at("source"), "data");
    CHECK_NE(share(run).at("value"), share(other).at("value"));
    CHECK_NE(evidence_of(run), evidence_of(other));
  }
}

TEST_CASE("the truth that discover scores against changes nothing that it finds") {
  const PlantedFeatures planted_rows = planted({.rows = 300, .columns = 8});
  const TemporaryFolder folder;
  data::write_npy(folder / "x.npy", planted_rows.values, {planted_rows.rows, planted_rows.columns});
  data::write_npy(folder / "labels.npy", planted_rows.labels, {planted_rows.rows});
  std::vector<std::uint32_t> hidden;
  for (std::uint32_t row = 0; row < planted_rows.rows; ++row)
    if (planted_rows.labels[row] < 0) hidden.push_back(row);
  data::write_npy(folder / "true.npy", planted_rows.truth, {planted_rows.rows});
  data::write_npy(folder / "other.npy", disturbed(planted_rows.truth, hidden), {planted_rows.rows});
  for (const char* truth : {"true", "other"}) {
    const ProcessResult result =
        opencd({"discover", folder / "x.npy", "--labels", folder / "labels.npy", "--truth",
                folder / (std::string(truth) + ".npy"), "--epochs", "2", "-o",
                folder / (std::string("run-") + truth), "--json", "--quiet"});
    REQUIRE_EQ(result.exit_code, 0);
  }
  for (const char* file : {"groups.csv", "model.safetensors", "state.json"}) {
    CAPTURE(file);
    CHECK((text_of(folder.path() / "run-true" / file) ==
           text_of(folder.path() / "run-other" / file)));
  }
  CHECK_NE(json_of(folder / "run-true/summary.json").at("orca"),
           json_of(folder / "run-other/summary.json").at("orca"));
}

TEST_SUITE_END();

}  // namespace opencd::test
