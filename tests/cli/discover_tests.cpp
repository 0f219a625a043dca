// `discover` as a user runs it: files in, groups out, and what it says of bad ones.
#include "data/support/npy_files.hpp"
#include "support/message.hpp"
#include "support/program.hpp"
#include "support/random.hpp"
#include "support/temporary_folder.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <limits>
#include <sstream>

namespace opencd::test {

namespace {

using Json = nlohmann::json;

template <class T>
ByteVector npy_of(const char* type, const std::string& shape, const std::vector<T>& values) {
  ByteVector bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return npy_file(type, shape, bytes);
}

template <class T>
std::filesystem::path put_npy(const TemporaryFolder& folder,
                              const std::string& name,
                              const char* type,
                              const std::string& shape,
                              const std::vector<T>& values) {
  const ByteVector file = npy_of(type, shape, values);
  return folder.put(name, {reinterpret_cast<const char*>(file.data()), file.size()});
}

/// Five classes, numbered 10 to 50, of which 10 and 30 are known.
struct Files {
  static constexpr std::size_t kRows = 500;
  static constexpr std::size_t kColumns = 12;

  TemporaryFolder folder;
  std::vector<float> values;
  std::vector<std::int64_t> truth;
  std::filesystem::path features_file, truth_file, labels_file;

  Files() {
    Random random(5);
    const std::vector<float> centres = random.normals(5 * kColumns);
    std::vector<std::int64_t> labels;
    for (std::size_t row = 0; row < kRows; ++row) {
      const std::size_t cls = row % 5;
      for (std::size_t c = 0; c < kColumns; ++c)
        values.push_back(centres[cls * kColumns + c] + static_cast<float>(0.3 * random.normal()));
      truth.push_back(static_cast<std::int64_t>(10 * (cls + 1)));
      labels.push_back(row < 100 && (cls == 0 || cls == 2) ? truth.back() : -1);
    }
    features_file = put_npy(folder, "x.npy", "<f4", "(500, 12)", values);
    truth_file = put_npy(folder, "truth.npy", "<i8", "(500,)", truth);
    labels_file = put_npy(folder, "labels.npy", "<i8", "(500,)", labels);
  }

  ProcessResult discover(const std::vector<std::string>& more, const char* out = "found") const {
    std::vector<std::string> words = {"discover", features_file, "--quiet",   "--epochs",
                                      "8",        "--out",       folder / out};
    words.insert(words.end(), more.begin(), more.end());
    return opencd(words);
  }
};

std::size_t lines_in(const std::filesystem::path& path) {
  std::ifstream file(path);
  return static_cast<std::size_t>(std::count(std::istreambuf_iterator<char>(file), {}, '\n'));
}

}  // namespace

TEST_SUITE_BEGIN("cli/discover");

TEST_CASE("known and new classes are found, counted and written, with the user's own numbers") {
  const Files files;
  const ProcessResult result =
      files.discover({"--labels", files.labels_file, "--truth", files.truth_file, "--json"});
  CHECK_EQ(result.err, "");
  REQUIRE_EQ(result.exit_code, 0);
  const Json summary = Json::parse(result.out);
  CHECK_EQ(summary.at("rows"), 460);  // 40 are labelled
  CHECK_EQ(summary.at("classes_true"), 5);
  CHECK_EQ(summary.at("classes_found"), 5);
  CHECK_GE(summary.at("orca").at("all").get<double>(), 0.95);
  CHECK_GE(summary.at("orca").at("known").get<double>(), 0.95);
  const Json& groups = summary.at("groups");
  REQUIRE_GE(groups.size(), 5);
  CHECK_EQ(groups[0].at("known_class"), 10);
  CHECK_EQ(groups[1].at("known_class"), 30);
  CHECK(groups[2].at("known_class").is_null());
  std::size_t rows = 0;
  for (const Json& group : groups) rows += group.at("size").get<std::size_t>();
  CHECK_EQ(rows, Files::kRows);
  CHECK_EQ(lines_in(files.folder / "found/groups.csv"), Files::kRows + 1);
  for (const char* file : {"summary.json", "model.safetensors", "state.json", "args.json"})
    CHECK(std::filesystem::exists(files.folder / "found" / file));
}

TEST_CASE("no labels, CSV labels, one label and an archive work too") {
  const Files files;
  const auto found = [&](const std::vector<std::string>& more, const char* out) {
    std::vector<std::string> words = {"--json", "--classes", "5"};
    words.insert(words.end(), more.begin(), more.end());
    const ProcessResult result = files.discover(words, out);
    CHECK_EQ(result.err, "");
    REQUIRE_EQ(result.exit_code, 0);
    return Json::parse(result.out);
  };
  const Json none = found({}, "none");
  CHECK_EQ(none.at("rows"), 500);
  CHECK_FALSE(none.contains("orca"));
  CHECK_EQ(none.at("labelled"), 0);
  const auto csv = files.folder.put("labels.csv", "row,label\n3,40\n8,40\n0,10\n");
  const Json by_csv = found({"--labels", csv, "--truth", files.truth_file}, "csv");
  CHECK_EQ(by_csv.at("labelled"), 3);
  CHECK_EQ(by_csv.at("groups")[1].at("known_class"), 40);
  CHECK_GE(by_csv.at("orca").at("all").get<double>(), 0.9);
  const auto one = files.folder.put("one.csv", "row,label\n7,3\n");
  CHECK_EQ(found({"--labels", one}, "one").at("groups")[0].at("known_class"), 3);

  std::vector<std::int64_t> some(Files::kRows, -1);
  some[0] = 7;
  const auto archive =
      write_zip(files.folder / "x.npz", {{"features.npy", npy_of("<f4", "(500, 12)", files.values)},
                                         {"labels.npy", npy_of("<i8", "(500,)", some)}});
  const ProcessResult packed = opencd({"discover", archive, "--quiet", "--json", "--epochs", "1",
                                       "--classes", "5", "--out", files.folder / "packed"});
  REQUIRE_EQ(packed.exit_code, 0);
  CHECK_EQ(Json::parse(packed.out).at("groups")[0].at("known_class"), 7);
}

TEST_CASE("opencd+ finds the same classes with more labelled rows, balanced predictions or both") {
  const Files files;
  int number = 0;
  for (const std::vector<std::string>& part :
       std::vector<std::vector<std::string>>{{"--labeled-share", "0.25", "--balanced-prediction"},
                                             {"--balanced-prediction"},
                                             {"--labeled-share", "0.25"}}) {
    std::vector<std::string> words = {"--labels", files.labels_file, "--truth",   files.truth_file,
                                      "--method", "opencd+",         "--classes", "5",
                                      "--json"};
    words.insert(words.end(), part.begin(), part.end());
    const std::string out = fmt::format("plus-{}", number++);
    const ProcessResult result = files.discover(words, out.c_str());
    CHECK_EQ(result.err, "");
    REQUIRE_EQ(result.exit_code, 0);
    CHECK_GE(Json::parse(result.out).at("orca").at("all").get<double>(), 0.95);
    std::ifstream file(files.folder / out / "state.json");
    const Json options = Json::parse(file).at("method_options");
    CHECK_EQ(options.at("labeled-share"), number == 2 ? 0.0 : 0.25);
    CHECK_EQ(options.at("balanced-prediction"), number != 3);
  }
}

TEST_CASE("the baselines run on the same features; the same seed gives the same groups") {
  const Files files;
  const std::vector<std::string> words = {
      "--labels",   files.labels_file, "--truth", files.truth_file, "--method",
      "gcd-kmeans", "--classes",       "5",       "--json"};
  Json first = Json::parse(files.discover(words, "a").out);
  Json second = Json::parse(files.discover(words, "b").out);
  CHECK_GE(first.at("orca").at("all").get<double>(), 0.95);
  CHECK_EQ(first.at("groups"), second.at("groups"));
}

TEST_CASE("the other counters count on the same features, and give groups and scores") {
  const Files files;
  for (const char* counter : {"xmeans", "gmeans", "gmeans-split", "dipdeck"}) {
    CAPTURE(counter);
    const std::vector<std::string> words = {
        "--labels", files.labels_file,      "--truth", files.truth_file, "--counter",
        counter,    "--autoencoder-epochs", "4",       "--json"};
    const ProcessResult result = files.discover(words, counter);
    CHECK_EQ(result.err, "");
    REQUIRE_EQ(result.exit_code, 0);
    const Json summary = Json::parse(result.out);
    CHECK_EQ(summary.at("method"), counter);
    CHECK_EQ(summary.at("classes_true"), 5);
    CHECK_EQ(lines_in(files.folder / counter / "groups.csv"), Files::kRows + 1);
    CHECK(std::filesystem::exists(files.folder / counter / "centres.npy"));
    if (std::string(counter) == "dipdeck") continue;  // too few epochs to count anything
    CHECK_EQ(summary.at("classes_found"), 5);
    CHECK_GE(summary.at("orca").at("all").get<double>(), 0.98);
    CHECK_GE(summary.at("orca").at("known").get<double>(), 0.98);
    const Json again = Json::parse(files.discover(words, "again").out);
    CHECK_EQ(summary.at("groups"), again.at("groups"));
    std::filesystem::remove_all(files.folder / "again");
  }
  const ProcessResult few = files.discover(
      {"--labels", files.labels_file, "--counter", "xmeans", "--most-clusters", "1"}, "few");
  CHECK_EQ(few.exit_code, 2);
  CHECK_CONTAINS(few.err, "--most-clusters 2 or more");
  CHECK_EQ(files.discover({"--counter", "gmeans", "--classes", "5"}, "few").exit_code, 2);
  CHECK_EQ(files.discover({"--counter", "gmeans", "--pca", "13"}, "few").exit_code, 2);
  put_npy(files.folder, "x.npy", "<f4", "(500, 12)", std::vector<float>(6000, 1.0f));
  const ProcessResult equal = files.discover({"--counter", "dipdeck"}, "few");
  CHECK_EQ(equal.exit_code, 3);
  CHECK_CONTAINS(equal.err, "all 500 rows are the same");
  CHECK_FALSE(std::filesystem::exists(files.folder / "few"));
}

TEST_CASE("one and two threads find the same classes, with scores within a fiftieth") {
  // Sums are taken in another order, so that the last bits of everything trained differ.
  const Files files;
  std::vector<Json> summaries;
  for (const char* threads : {"1", "2"}) {
    const ProcessResult result = files.discover({"--labels", files.labels_file, "--truth",
                                                 files.truth_file, "--json", "--threads", threads},
                                                threads);
    REQUIRE_EQ(result.exit_code, 0);
    summaries.push_back(Json::parse(result.out));
  }
  CHECK_EQ(summaries[0].at("classes_found"), summaries[1].at("classes_found"));
  for (const char* part : {"known", "novel", "all"}) {
    CAPTURE(part);
    const double one = summaries[0].at("orca").at(part).get<double>();
    const double two = summaries[1].at("orca").at(part).get<double>();
    CHECK(std::abs(one - two) < 0.02);
  }
}

TEST_CASE("bad features and labels end with 3 and the place") {
  Files files;
  files.values[7 * Files::kColumns + 4] = std::numeric_limits<float>::quiet_NaN();
  put_npy(files.folder, "x.npy", "<f4", "(500, 12)", files.values);
  const ProcessResult nan = files.discover({});
  CHECK_EQ(nan.exit_code, 3);
  CHECK_CONTAINS(nan.err, "row 7, column 4");
  CHECK_FALSE(std::filesystem::exists(files.folder / "found"));

  put_npy(files.folder, "x.npy", "<f4", "(250, 24)", std::vector<float>(6000, 1.0f));
  const ProcessResult labels = files.discover({"--labels", files.labels_file});
  CHECK_EQ(labels.exit_code, 3);
  CHECK_CONTAINS(labels.err, "expected 250 labels, got 500");
  const auto csv = files.folder.put("far.csv", "row,label\n250,1\n");
  CHECK_CONTAINS(files.discover({"--labels", csv}).err, "expected a row below 250, got 250");
}

TEST_CASE("wrong usage ends with 2 and says what to do; nothing is overwritten") {
  const Files files;
  const ProcessResult fewer = files.discover({"--labels", files.labels_file, "--classes", "1"});
  CHECK_EQ(fewer.exit_code, 2);
  CHECK_CONTAINS(fewer.err, "2 known classes");
  const ProcessResult prototypes = files.discover({"--classes", "40", "--prototypes", "30"});
  CHECK_EQ(prototypes.exit_code, 2);
  CHECK_CONTAINS(prototypes.err, "--prototypes 40 or more");
  CHECK_EQ(files.discover({"--counter", "guess"}).exit_code, 2);
  CHECK_EQ(files.discover({"--method", "simclr-kmeans"}).exit_code, 2);
  std::filesystem::create_directory(files.folder / "full");
  const auto kept = files.folder.put("full/mine.txt", "mine");
  CHECK_EQ(files.discover({}, "full").exit_code, 2);
  CHECK(std::filesystem::exists(kept));
}

TEST_SUITE_END();

}  // namespace opencd::test
