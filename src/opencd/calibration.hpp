// "None of these", calibrated: how unusual a row is among rows that rightly belong.
//
// A row's nearness is its cosine to the k-th nearest of some training rows, in the space where the
// method compares. (The cosine to the nearest prototype will not do: known classes lie close to their
// prototypes, discovered ones do not, and what is neither may lie anywhere.) Its typicality is the
// share of rightful rows that are as far away or farther; 0.02 says that 2 % of them are so. Below a
// level, 0.05 unless the user says otherwise, a row is said to be none of these, which by construction
// happens to 5 % of rightful rows. Rows of known and of discovered groups have each their own curve.
#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace opencd {

constexpr double kNoneBelow = 0.05;
constexpr std::size_t kNeighbours = 5;

/// Training rows to be near to: unit rows, one below the other.
struct ReferenceRows {
  std::size_t columns = 0;
  std::vector<float> values;

  std::size_t size() const { return columns == 0 ? 0 : values.size() / columns; }
  /// The cosine of a unit row to the kNeighbours-th nearest, or to the farthest of fewer.
  double nearness(std::span<const float> unit) const;
};

/// From nearness to typicality.
struct TypicalityCurve {
  std::string rows;               // whose it is: "held-out test rows in discovered groups"
  std::size_t count = 0;          // how many
  std::vector<double> quantiles;  // of nearness, at equal steps from the least to the greatest

  /// The nearness below which rows are said to be none of these, at the level kNoneBelow.
  double threshold() const;
  /// From 0, farther away than all rows it was made of, to 1.
  double typicality(double nearness) const;
};

/// Nothing where there are no rows.
std::optional<TypicalityCurve> typicality_curve(std::vector<double> nearness, std::string rows);

struct Calibration {
  std::string checkpoint;  // whose embeddings these are
  ReferenceRows reference;
  std::optional<TypicalityCurve> known;       // of rows in groups of known classes
  std::optional<TypicalityCurve> discovered;  // of rows in discovered groups

  /// Of a unit row in a group of that kind. Where that has no curve, the other one's serves.
  double typicality(std::span<const float> unit, bool in_known_group) const;
};

/// All but the reference rows.
nlohmann::ordered_json to_json(const Calibration& calibration);
/// FormatError that names `file` if it does not read.
Calibration calibration(const nlohmann::ordered_json& json, const std::string& file);

}  // namespace opencd
