// "None of these", calibrated: how unusual a picture is among pictures that rightly belong to a known
// class. A row's typicality is the share of such rows that are as unlike or more unlike what their
// group was learned from; 0.02 says that 2 % of rightful rows are so. Below a level, 0.05 unless the
// user says otherwise, a row is said to be none of these, which by construction happens to 5 % of
// rightful rows.
#pragma once

#include "opencd/prediction.hpp"

#include <nlohmann/json.hpp>

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace opencd {

constexpr double kNoneBelow = 0.05;

struct Calibration {
  std::string rows;               // which ones: "held-out test rows of known classes"
  std::size_t count = 0;          // how many
  std::string checkpoint;         // whose likenesses these are
  std::vector<double> quantiles;  // of likeness, at equal steps from the least to the greatest

  /// The likeness below which rows are said to be none of these, at the level kNoneBelow.
  double threshold() const;
  /// From 0, less like than all rows it was made of, to 1.
  double typicality(double likeness) const;
};

/// Nothing where there are no rows.
std::optional<Calibration> calibrate(std::span<const Prediction> rightful, std::string rows);

nlohmann::ordered_json to_json(const Calibration& calibration);
/// FormatError that names `file` if it does not read.
Calibration calibration(const nlohmann::ordered_json& json, const std::string& file);

}  // namespace opencd
