#include "opencd/calibration.hpp"

#include "error.hpp"

#include <algorithm>
#include <cmath>

namespace opencd {

namespace {

constexpr std::size_t kSteps = 100;

/// The value at `place`, from 0 to 1, of ascending values, between two of them if need be.
double value_at(std::span<const double> ascending, double place) {
  const double at = place * static_cast<double>(ascending.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, ascending.size() - 1);
  return std::lerp(ascending[below], ascending[above], at - static_cast<double>(below));
}

}  // namespace

double Calibration::threshold() const { return value_at(quantiles, kNoneBelow); }

double Calibration::typicality(double likeness) const {
  const auto above = std::upper_bound(quantiles.begin(), quantiles.end(), likeness);
  if (above == quantiles.begin()) return 0.0;
  if (above == quantiles.end()) return 1.0;
  const auto below = above - 1;
  const double part = (likeness - *below) / (*above - *below);
  return (static_cast<double>(below - quantiles.begin()) + part) /
         static_cast<double>(quantiles.size() - 1);
}

std::optional<Calibration> calibrate(std::span<const Prediction> rightful, std::string rows) {
  if (rightful.empty()) return std::nullopt;
  std::vector<double> likeness;
  for (const Prediction& prediction : rightful) likeness.push_back(prediction.likeness);
  std::sort(likeness.begin(), likeness.end());
  Calibration result{.rows = std::move(rows), .count = likeness.size()};
  for (std::size_t i = 0; i <= kSteps; ++i)
    result.quantiles.push_back(
        value_at(likeness, static_cast<double>(i) / static_cast<double>(kSteps)));
  return result;
}

nlohmann::ordered_json to_json(const Calibration& calibration) {
  return {{"rows", calibration.rows},
          {"count", calibration.count},
          {"checkpoint", calibration.checkpoint},
          {"none_below", kNoneBelow},
          {"threshold", calibration.threshold()},
          {"quantiles", calibration.quantiles}};
}

Calibration calibration(const nlohmann::ordered_json& json, const std::string& file) {
  Calibration result;
  try {
    result.rows = json.at("rows").get<std::string>();
    result.count = json.at("count").get<std::size_t>();
    result.checkpoint = json.at("checkpoint").get<std::string>();
    result.quantiles = json.at("quantiles").get<std::vector<double>>();
  } catch (const nlohmann::ordered_json::exception& error) {
    fail<FormatError>("[calibration] {} does not read: {}", file, error.what());
  }
  if (result.quantiles.size() < 2 ||
      !std::is_sorted(result.quantiles.begin(), result.quantiles.end()))
    fail<FormatError>("[calibration] {}: expected two or more ascending quantiles", file);
  return result;
}

}  // namespace opencd
