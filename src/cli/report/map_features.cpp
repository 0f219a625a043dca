#include "cli/report/map_features.hpp"

#include "cli/progress.hpp"
#include "data/npy.hpp"
#include "data/npy_writer.hpp"
#include "data/split_file.hpp"
#include "error.hpp"
#include "files/atomic_file.hpp"
#include "files/input_file.hpp"
#include "files/sha256.hpp"
#include "files/strict_json.hpp"
#include "opencd/trained_model.hpp"
#include "opencd/tsne.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace opencd::cli::report {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kFormat = "opencd_sycl map 1";
constexpr std::size_t kPlaneColumns = 2;

fs::path folder_of(const SavedModel& model) { return model.run / "embeddings"; }

/// The same for the same weights and groups only.
std::string identity(const SavedModel& model) {
  return files::sha256_of_file(model.checkpoint.path / "SHA256SUMS");
}

std::vector<float> floats_of(const fs::path& file, std::size_t rows) {
  const data::NpyArray array = data::read_npy(file);
  if (array.shape.size() != 2 || array.shape[0] != rows) return {};
  return data::to_floats(array);
}

struct Prototypes {
  std::vector<float> unit;  // rows of the method's space
  std::vector<std::int32_t> groups;
};

/// What the method compares rows with, where it has such: prototypes, or centres of k-means.
Prototypes prototypes_of(const TrainedModel& model, const SavedModel& saved, std::size_t columns) {
  const nn::ParameterSet& parameters = model.parameters();
  const nn::Parameter* found = parameters.find("prototypes");
  const bool grouped = found != nullptr;
  if (!found) found = parameters.find("centres");
  if (!found || found->dims()[1] != static_cast<std::int64_t>(columns)) return {};
  Prototypes result{parameters.read(*found), {}};
  std::size_t count = result.unit.size() / columns;
  if (grouped) {
    result.groups = saved.method_state.value("group_of", std::vector<std::int32_t>());
    result.groups.resize(count, 0);
  } else {
    // There may be room for more centres than were found.
    count = std::min(count, saved.method_state.value("groups", count));
    result.unit.resize(count * columns);
    result.groups.resize(count);
    std::iota(result.groups.begin(), result.groups.end(), 0);
  }
  for (std::size_t k = 0; k < count; ++k) {
    const auto row = std::span(result.unit).subspan(k * columns, columns);
    const double norm = std::sqrt(std::inner_product(row.begin(), row.end(), row.begin(), 0.0));
    for (float& value : row) value = static_cast<float>(value / std::max(norm, 1e-12));
  }
  return result;
}

void keep(const SavedModel& model, const MapFeatures& map) {
  const fs::path folder = folder_of(model);
  fs::create_directories(folder);
  const std::size_t rows = map.rows.size() + map.prototype_groups.size();
  fs::remove(folder / "map.json");  // without it nobody looks at the arrays
  data::write_npy(folder / "features.npy", map.features, {rows, map.columns});
  data::write_npy(folder / "tsne.npy", map.places, {rows, kPlaneColumns});
  const Json json = {{"format", kFormat},           {"checkpoint", model.checkpoint.name()},
                     {"identity", identity(model)}, {"rows", map.rows},
                     {"groups", map.groups},        {"prototype_groups", map.prototype_groups}};
  files::write_file(folder / "map.json", json.dump() + "\n");
}

}  // namespace

std::vector<std::uint32_t> map_rows(const fs::path& run, std::size_t most) {
  const fs::path file = run / "splits.json";
  if (!fs::exists(file)) return {};
  constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 30U;
  const auto split = data::parse_split(files::read_text_file(file, kMaxBytes), file.string());
  const std::vector<std::uint32_t> unlabeled = data::other_rows(split.labeled, split.rows);
  const std::size_t count = std::min(most, unlabeled.size());
  std::vector<std::uint32_t> rows(count);
  for (std::size_t i = 0; i < count; ++i) rows[i] = unlabeled[i * unlabeled.size() / count];
  return rows;
}

std::optional<MapFeatures> read_map_features(const SavedModel& model,
                                             const std::vector<std::uint32_t>& rows) {
  const fs::path folder = folder_of(model);
  if (!fs::exists(folder / "map.json")) return std::nullopt;
  try {
    const Json json = files::read_json_file(folder / "map.json");
    MapFeatures map{
        .rows = json.at("rows").get<std::vector<std::uint32_t>>(),
        .groups = json.at("groups").get<std::vector<std::int32_t>>(),
        .prototype_groups = json.at("prototype_groups").get<std::vector<std::int32_t>>()};
    const std::size_t count = map.rows.size() + map.prototype_groups.size();
    if (json.at("format") != kFormat || json.at("identity") != identity(model) ||
        map.rows != rows || map.groups.size() != rows.size())
      return std::nullopt;
    map.features = floats_of(folder / "features.npy", count);
    map.places = floats_of(folder / "tsne.npy", count);
    if (map.features.empty() || map.places.size() != kPlaneColumns * count) return std::nullopt;
    map.columns = map.features.size() / count;
    return map;
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;  // not ours, or half of it: it is made anew
  } catch (const FormatError&) {
    return std::nullopt;
  }
}

MapFeatures make_map_features(const SavedModel& saved,
                              const data::ImageSet& set,
                              const std::vector<std::uint32_t>& rows,
                              const nn::Engine& engine,
                              const CommonOptions& options) {
  TrainedModel model(engine, saved, {.deterministic = options.deterministic});
  model.require_shape(set.shape, set.name);
  cli::Progress reading("features", rows.size(), "img", options.hides_progress());
  RowFeatures features =
      model.features(set.train, rows, [&](std::size_t done) { reading.update(done); });
  reading.finish();

  MapFeatures map{.rows = rows, .columns = features.embedding_columns};
  for (const Prediction& prediction : features.predictions) map.groups.push_back(prediction.group);
  Prototypes prototypes = prototypes_of(model, saved, map.columns);
  map.prototype_groups = std::move(prototypes.groups);
  map.features = std::move(features.embeddings);
  map.features.insert(map.features.end(), prototypes.unit.begin(), prototypes.unit.end());

  const TsneOptions tsne_options{.seed = options.seed};
  cli::Progress drawing("t-SNE", static_cast<std::size_t>(tsne_options.iterations), "iterations",
                        options.hides_progress());
  map.places = tsne(engine, map.features, map.columns, tsne_options, [&](int done) {
                 drawing.update(static_cast<std::size_t>(done));
                 return true;
               }).points;
  drawing.finish();
  keep(saved, map);
  return map;
}

FeatureMap points_of(const MapFeatures& features) {
  FeatureMap map;
  const std::size_t rows = features.rows.size();
  const auto point = [&](std::size_t i, std::size_t number, std::int32_t group) {
    return MapPoint{features.places[2 * i], features.places[2 * i + 1],
                    static_cast<std::uint32_t>(number), group};
  };
  for (std::size_t i = 0; i < rows; ++i)
    map.rows.push_back(point(i, features.rows[i], features.groups[i]));
  for (std::size_t k = 0; k < features.prototype_groups.size(); ++k)
    map.prototypes.push_back(point(rows + k, k, features.prototype_groups[k]));
  return map;
}

}  // namespace opencd::cli::report
