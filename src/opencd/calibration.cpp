#include "opencd/calibration.hpp"

#include "error.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace opencd {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kSteps = 100;

/// The value at `place`, from 0 to 1, of ascending values, between two of them if need be.
double value_at(std::span<const double> ascending, double place) {
  const double at = place * static_cast<double>(ascending.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, ascending.size() - 1);
  return std::lerp(ascending[below], ascending[above], at - static_cast<double>(below));
}

Json to_json(const std::optional<TypicalityCurve>& curve) {
  if (!curve) return {};
  return {{"rows", curve->rows},
          {"count", curve->count},
          {"threshold", curve->threshold()},
          {"quantiles", curve->quantiles}};
}

std::optional<TypicalityCurve> read_curve(const Json& json, const std::string& file) {
  if (json.is_null()) return std::nullopt;
  if (!json.at("count").is_number_unsigned())
    fail<FormatError>("[calibration] {}: expected a number of rows, got the count {}", file,
                      json.at("count").dump());
  TypicalityCurve curve{json.at("rows").get<std::string>(), json.at("count").get<std::size_t>(),
                        json.at("quantiles").get<std::vector<double>>()};
  if (curve.quantiles.size() < 2 || !std::is_sorted(curve.quantiles.begin(), curve.quantiles.end()))
    fail<FormatError>("[calibration] {}: expected two or more ascending quantiles", file);
  return curve;
}

}  // namespace

double ReferenceRows::nearness(std::span<const float> unit) const {
  if (size() == 0 || unit.size() != columns)
    fail<ShapeError>("[calibration] expected rows of {} columns to be near to, got {} rows of {}",
                     unit.size(), size(), columns);
  std::vector<float> cosines(size());
  for (std::size_t row = 0; row < cosines.size(); ++row)
    cosines[row] =
        std::inner_product(unit.begin(), unit.end(), values.data() + row * columns, 0.0f);
  const std::size_t last = std::min(kNeighbours, cosines.size()) - 1;
  const auto place = cosines.begin() + static_cast<std::ptrdiff_t>(last);
  std::nth_element(cosines.begin(), place, cosines.end(), std::greater<>());
  return *place;
}

double TypicalityCurve::threshold() const { return value_at(quantiles, kNoneBelow); }

double TypicalityCurve::typicality(double nearness) const {
  const auto above = std::upper_bound(quantiles.begin(), quantiles.end(), nearness);
  if (above == quantiles.begin()) return 0.0;
  if (above == quantiles.end()) return 1.0;
  const auto below = above - 1;
  const double part = (nearness - *below) / (*above - *below);
  return (static_cast<double>(below - quantiles.begin()) + part) /
         static_cast<double>(quantiles.size() - 1);
}

std::optional<TypicalityCurve> typicality_curve(std::vector<double> nearness, std::string rows) {
  if (nearness.empty()) return std::nullopt;
  std::sort(nearness.begin(), nearness.end());
  TypicalityCurve curve{.rows = std::move(rows), .count = nearness.size()};
  for (std::size_t i = 0; i <= kSteps; ++i)
    curve.quantiles.push_back(
        value_at(nearness, static_cast<double>(i) / static_cast<double>(kSteps)));
  return curve;
}

double Calibration::typicality(std::span<const float> unit, bool in_known_group) const {
  const std::optional<TypicalityCurve>& own = in_known_group ? known : discovered;
  const std::optional<TypicalityCurve>& other = in_known_group ? discovered : known;
  return (own ? *own : other.value()).typicality(reference.nearness(unit));
}

Json to_json(const Calibration& calibration) {
  return {{"checkpoint", calibration.checkpoint},
          {"neighbours", kNeighbours},
          {"none_below", kNoneBelow},
          {"known", to_json(calibration.known)},
          {"discovered", to_json(calibration.discovered)}};
}

Calibration calibration(const Json& json, const std::string& file) {
  Calibration result;
  try {
    result.checkpoint = json.at("checkpoint").get<std::string>();
    result.known = read_curve(json.at("known"), file);
    result.discovered = read_curve(json.at("discovered"), file);
  } catch (const Json::exception& error) {
    fail<FormatError>("[calibration] {} does not read: {}", file, error.what());
  }
  if (!result.known && !result.discovered)
    fail<FormatError>("[calibration] {}: expected a curve of known or of discovered groups", file);
  return result;
}

}  // namespace opencd
