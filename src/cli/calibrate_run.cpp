#include "cli/calibrate_run.hpp"

#include "data/npy.hpp"
#include "data/npy_writer.hpp"
#include "error.hpp"
#include "files/atomic_file.hpp"
#include "files/strict_json.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace opencd::cli {

namespace {

constexpr std::size_t kReferenceRows = 2000;
constexpr std::size_t kCurveRows = 10000;

constexpr const char* kCurves = "calibration.json";
constexpr const char* kReference = "reference.npy";

/// Rows that curves are made of.
struct CurveRows {
  const data::ImageRows& pictures;
  std::vector<std::uint32_t> numbers;
  std::vector<bool> known;  // whether the row's class is said to be a known one
  std::string name;
};

std::vector<std::uint32_t> evenly_spread(const std::vector<std::uint32_t>& rows, std::size_t most) {
  const std::size_t count = std::min(most, rows.size());
  std::vector<std::uint32_t> result(count);
  for (std::size_t i = 0; i < count; ++i) result[i] = rows[i * rows.size() / count];
  return result;
}

/// All numbers below `count` that are `remainder` modulo `step`.
std::vector<std::uint32_t> every(std::size_t step, std::size_t remainder, std::size_t count) {
  std::vector<std::uint32_t> rows;
  for (std::size_t row = remainder; row < count; row += step)
    rows.push_back(static_cast<std::uint32_t>(row));
  return rows;
}

CurveRows held_out_rows(const data::ImageSet& set, const ScoredRows& rows) {
  CurveRows result{
      set.test, evenly_spread(every(1, 0, set.test.size()), kCurveRows), {}, "held-out test rows"};
  for (const std::uint32_t row : result.numbers) {
    const std::int32_t place = rows.test_classes[row];
    result.known.push_back(place >= 0 && std::cmp_less(place, rows.known));
  }
  return result;
}

CurveRows training_rows(const data::ImageSet& set, const ScoredRows& rows) {
  CurveRows result{
      set.train, evenly_spread(every(2, 1, set.train.size()), kCurveRows), {}, "training rows"};
  for (const std::uint32_t row : result.numbers)
    result.known.push_back(std::binary_search(rows.labeled.begin(), rows.labeled.end(), row));
  return result;
}

}  // namespace

std::optional<Calibration> calibrate(TrainedModel& model,
                                     const data::ImageSet& set,
                                     const ScoredRows& rows) {
  const bool held_out = std::any_of(rows.test_classes.begin(), rows.test_classes.end(),
                                    [](std::int32_t place) { return place >= 0; });
  const CurveRows sample = held_out ? held_out_rows(set, rows) : training_rows(set, rows);
  Calibration result;
  const RowFeatures reference = model.features(
      set.train, evenly_spread(every(held_out ? 1 : 2, 0, set.train.size()), kReferenceRows));
  result.reference = {reference.embedding_columns, reference.embeddings};

  const RowFeatures features = model.features(sample.pictures, sample.numbers);
  std::vector<double> known;
  std::vector<double> discovered;
  for (std::size_t i = 0; i < sample.numbers.size(); ++i) {
    const double nearness = result.reference.nearness(features.embedding(i));
    const bool in_known = std::cmp_less(features.predictions[i].group, rows.known);
    if (in_known && sample.known[i]) known.push_back(nearness);
    if (!in_known) discovered.push_back(nearness);
  }
  result.known = typicality_curve(std::move(known), sample.name + " of known classes");
  result.discovered =
      typicality_curve(std::move(discovered), sample.name + " in discovered groups");
  if (!result.known && !result.discovered) return std::nullopt;
  return result;
}

void write_calibration(const std::filesystem::path& folder, const Calibration& calibration) {
  std::filesystem::create_directories(folder);
  const ReferenceRows& reference = calibration.reference;
  // The curves come last: without them nobody looks at the rows.
  data::write_npy(folder / kReference, reference.values, {reference.size(), reference.columns});
  files::write_file(folder / kCurves, to_json(calibration).dump(2) + "\n");
}

std::optional<Calibration> read_calibration(const std::filesystem::path& folder,
                                            const std::string& checkpoint) {
  const std::filesystem::path file = folder / kCurves;
  if (!std::filesystem::exists(file)) return std::nullopt;
  Calibration found = calibration(files::read_json_file(file), file.string());
  if (found.checkpoint != checkpoint) return std::nullopt;
  const data::NpyArray array = data::read_npy(folder / kReference);
  if (array.shape.size() != 2 || array.elements() == 0)
    fail<FormatError>("[calibration] {}: expected rows of embeddings, got {}", array.name,
                      array.shape_text());
  found.reference = {array.shape[1], data::to_floats(array)};
  return found;
}

}  // namespace opencd::cli
