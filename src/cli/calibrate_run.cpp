#include "cli/calibrate_run.hpp"

#include "data/npy.hpp"
#include "data/npy_writer.hpp"
#include "error.hpp"
#include "files/atomic_file.hpp"
#include "files/strict_json.hpp"
#include "opencd/row_choice.hpp"

#include <algorithm>
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
  std::vector<bool>
      may_be_known;  // whether a row in the group of a known class rightly may be there
  std::string name;
};

std::vector<std::uint32_t> spread(const std::vector<std::uint32_t>& rows, std::size_t most) {
  std::vector<std::uint32_t> result = evenly_spread(rows.size(), std::min(most, rows.size()));
  for (std::uint32_t& row : result) row = rows[row];
  return result;
}

/// All numbers below `count` that are `remainder` modulo 2.
std::vector<std::uint32_t> every_other(std::size_t remainder, std::size_t count) {
  std::vector<std::uint32_t> rows;
  for (std::size_t row = remainder; row < count; row += 2)
    rows.push_back(static_cast<std::uint32_t>(row));
  return rows;
}

/// Pictures alone: what class they are of is for scores.
CurveRows held_out_rows(const data::ImageSet& set) {
  CurveRows result{set.test, evenly_spread(set.test.size(), kCurveRows), {}, "held-out test rows"};
  result.may_be_known.assign(result.numbers.size(), true);
  return result;
}

CurveRows training_rows(const data::ImageSet& set, const std::vector<std::uint32_t>& labelled) {
  CurveRows result{
      set.train, spread(every_other(1, set.train.size()), kCurveRows), {}, "training rows"};
  for (const std::uint32_t row : result.numbers)
    result.may_be_known.push_back(std::binary_search(labelled.begin(), labelled.end(), row));
  return result;
}

}  // namespace

std::optional<Calibration> calibrate(TrainedModel& model,
                                     const data::ImageSet& set,
                                     const std::vector<std::uint32_t>& labelled) {
  const bool held_out = set.test.size() != 0;
  const CurveRows sample = held_out ? held_out_rows(set) : training_rows(set, labelled);
  Calibration result;
  const RowFeatures reference = model.features(
      set.train, held_out ? evenly_spread(set.train.size(), kReferenceRows)
                          : spread(every_other(0, set.train.size()), kReferenceRows));
  result.reference = {reference.embedding_columns, reference.embeddings};

  const RowFeatures features = model.features(sample.pictures, sample.numbers);
  const std::size_t known_classes = model.description().known;
  std::vector<double> known;
  std::vector<double> discovered;
  for (std::size_t i = 0; i < sample.numbers.size(); ++i) {
    const double nearness = result.reference.nearness(features.embedding(i));
    const bool in_known = std::cmp_less(features.predictions[i].group, known_classes);
    if (in_known && sample.may_be_known[i]) known.push_back(nearness);
    if (!in_known) discovered.push_back(nearness);
  }
  result.known = typicality_curve(std::move(known), sample.name + " in groups of known classes");
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
