// `export RUN` as a user runs it: what comes out is what was learned, in files that others read.
#include "cli/tiny_run.hpp"
#include "data/npy.hpp"
#include "files/safetensors.hpp"
#include "files/sha256.hpp"
#include "support/message.hpp"

#include <cmath>

namespace opencd::test {

namespace {

using Json = nlohmann::json;

constexpr std::size_t kRows = 360;

data::NpyArray array(const std::filesystem::path& folder, const std::string& name) {
  return data::read_npy(folder / (name + ".npy"));
}

std::size_t lines_in(const std::filesystem::path& file) {
  const std::string text = text_of(file);
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace

TEST_SUITE_BEGIN("cli/export");

TEST_CASE("npy: weights, features, unit embeddings, prototypes, labels and groups") {
  const TinyRun& run = tiny_run();
  const TemporaryFolder folder;
  const ProcessResult result = opencd({"export", run.path(), "-o", folder / "out", "--json"});
  CHECK_EQ(result.exit_code, 0);
  const Json said = Json::parse(result.out);
  const auto out = folder / "out";
  for (const Json& file : said.at("files"))
    CHECK(std::filesystem::exists(out / file.get<std::string>()));
  // The weights are those of the checkpoint, to the byte.
  CHECK_EQ(files::sha256_of_file(out / "model.safetensors"),
           files::sha256_of_file(run / "checkpoints/last/model.safetensors"));
  CHECK_EQ(array(out, "features").shape, std::vector<std::size_t>{kRows, 64});
  CHECK_EQ(array(out, "prototypes").shape, std::vector<std::size_t>{24, 32});
  const std::vector<float> z = data::to_floats(array(out, "embeddings"));
  REQUIRE_EQ(z.size(), kRows * 32);
  for (std::size_t row = 0; row < kRows; ++row) {
    double squares = 0.0;
    for (std::size_t c = 0; c < 32; ++c) squares += z[row * 32 + c] * z[row * 32 + c];
    CHECK_LE(std::abs(squares - 1.0), 1e-5);
  }
  const auto labels = data::to_labels(array(out, "labels"));
  for (std::size_t row = 0; row < kRows; ++row)
    CHECK_EQ(labels[row], static_cast<int>(row % 6));  // classes take turns
  CHECK_EQ(data::to_labels(array(out, "groups")).size(), kRows);
  CHECK_EQ(lines_in(out / "rows.csv"), kRows + 1);
}

TEST_CASE("groups.json holds every prototype once, under the name of its group") {
  const TemporaryFolder folder;
  const std::string run = tiny_run().copy_to(folder);
  REQUIRE_EQ(opencd({"name", run, "--set", "5=boot"}).exit_code, 0);
  REQUIRE_EQ(opencd({"export", run, "--quiet"}).exit_code, 0);
  const Json groups = json_of(run + "/export/groups.json");
  CHECK_EQ(groups.at("groups").at(5).at("name"), "boot");
  CHECK_EQ(groups.at("groups").at(2).at("known_class"), "2");
  const auto group_of = groups.at("group_of").get<std::vector<std::size_t>>();
  REQUIRE_EQ(group_of.size(), 24);
  std::size_t prototypes = 0;
  for (const Json& group : groups.at("groups"))
    for (const Json& k : group.at("prototypes")) {
      CHECK_EQ(group_of.at(k.get<std::size_t>()), group.at("group").get<std::size_t>());
      ++prototypes;
    }
  CHECK_EQ(prototypes, 24);
  CHECK_EQ(
      groups.at("group_of"),
      json_of(run + "/checkpoints/last/state.json").at("training").at("method").at("group_of"));
}

TEST_CASE("csv and safetensors hold the same numbers as npy") {
  const TinyRun& run = tiny_run();
  const TemporaryFolder folder;
  for (const char* format : {"npy", "csv", "safetensors"})
    REQUIRE_EQ(opencd({"export", run.path(), "--format", format, "-o", folder / format, "--quiet"})
                   .exit_code,
               0);
  const files::SafetensorsFile tensors(folder / "safetensors" / "arrays.safetensors");
  for (const char* name : {"features", "embeddings", "prototypes"}) {
    const std::vector<float> values = data::to_floats(array(folder / "npy", name));
    CHECK_EQ(tensors.read_f32(name), values);
    std::ifstream csv(folder / "csv" / (std::string(name) + ".csv"));
    std::string line;
    std::getline(csv, line);
    CHECK(line.starts_with(std::string(name) + "0,"));
    std::vector<float> read;
    while (std::getline(csv, line)) {
      std::istringstream cells(line);
      for (std::string cell; std::getline(cells, cell, ',');) read.push_back(std::stof(cell));
    }
    CHECK_EQ(read, values);
  }
  CHECK_EQ(tensors.read<std::int32_t>("groups"), data::to_labels(array(folder / "npy", "groups")));
}

TEST_CASE("the Projector gets rows at even steps, with what is known of each") {
  const TemporaryFolder folder;
  const std::string run = tiny_run().copy_to(folder);
  REQUIRE_EQ(opencd({"name", run, "--set", "5=boot"}).exit_code, 0);
  const ProcessResult result =
      opencd({"export", run, "--projector", "--projector-rows", "90", "--json"});
  REQUIRE_EQ(result.exit_code, 0);
  const std::filesystem::path out = run + "/export";
  const Json said = Json::parse(result.out);
  std::vector<std::string> files;
  for (const Json& file : said.at("files"))
    if (file.get<std::string>().starts_with("projector/")) files.push_back(file);
  CHECK_EQ(files,
           std::vector<std::string>{"projector/features.tsv", "projector/embeddings.tsv",
                                    "projector/metadata.tsv", "projector/projector_config.pbtxt"});
  const std::vector<float> features = data::to_floats(array(out, "features"));
  const auto groups = data::to_labels(array(out, "groups"));
  std::ifstream tensor(out / "projector/features.tsv");
  std::ifstream metadata(out / "projector/metadata.tsv");
  std::string line;
  std::getline(metadata, line);
  CHECK_EQ(line, "row\tclass\tgroup\tname\tconfidence");
  for (std::size_t row = 0; row < kRows; row += 4) {
    CAPTURE(row);
    std::getline(tensor, line);
    std::istringstream numbers(line);
    std::vector<float> read;
    for (std::string cell; std::getline(numbers, cell, '\t');) read.push_back(std::stof(cell));
    CHECK_EQ(read, std::vector<float>(&features[row * 64], &features[row * 64] + 64));
    std::getline(metadata, line);
    const std::string start = fmt::format("{}\t{}\t{}\t", row, row % 6, groups[row]);
    CHECK(line.starts_with(start));
    if (groups[row] == 5) CHECK(line.starts_with(start + "boot\t"));
  }
  CHECK_EQ(lines_in(out / "projector/features.tsv"), 90);
  CHECK_EQ(lines_in(out / "projector/metadata.tsv"), 91);
  const std::string config = text_of(out / "projector/projector_config.pbtxt");
  CHECK_CONTAINS(config, "tensor_shape: 90\n  tensor_shape: 64\n  tensor_path: \"features.tsv\"");
  CHECK_CONTAINS(config, "metadata_path: \"metadata.tsv\"");
}

TEST_CASE("bad use ends with its exit code and a sentence") {
  const TinyRun& run = tiny_run();
  const TemporaryFolder folder;
  folder.put("file", "");
  const ProcessResult format = opencd({"export", run.path(), "--format", "pickle"});
  CHECK_EQ(format.exit_code, 2);
  CHECK_EQ(opencd({"export", run.path(), "--projector-rows", "0"}).exit_code, 2);
  const ProcessResult blocked = opencd({"export", run.path(), "-o", folder / "file/out"});
  CHECK_EQ(blocked.exit_code, 3);
  CHECK_CONTAINS(blocked.err, "cannot make");
  const ProcessResult data = opencd({"export", run.path(), "synthetic:size=8,per-class=3"});
  CHECK_EQ(data.exit_code, 3);
  CHECK_CONTAINS(data.err, "trained for 16 x 16 x 3");
}

TEST_SUITE_END();

}  // namespace opencd::test
