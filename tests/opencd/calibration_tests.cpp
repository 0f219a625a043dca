#include "opencd/calibration.hpp"

#include "error.hpp"
#include "support/corruption.hpp"
#include "support/message.hpp"
#include "support/random.hpp"

#include <algorithm>
#include <cmath>

namespace opencd::test {

namespace {

double share_flagged(const TypicalityCurve& curve, const std::vector<double>& nearness) {
  const auto flagged = std::count_if(nearness.begin(), nearness.end(), [&](double value) {
    return curve.typicality(value) < kNoneBelow;
  });
  return static_cast<double>(flagged) / static_cast<double>(nearness.size());
}

/// Points on a circle, by their angles in degrees.
ReferenceRows on_circle(const std::vector<double>& degrees) {
  ReferenceRows rows{.columns = 2};
  for (const double angle : degrees)
    for (const double value : {std::cos(angle * M_PI / 180), std::sin(angle * M_PI / 180)})
      rows.values.push_back(static_cast<float>(value));
  return rows;
}

}  // namespace

TEST_SUITE_BEGIN("opencd/calibration");

TEST_CASE("nearness is the cosine to the fifth nearest row, or to the farthest of fewer") {
  const std::vector<float> east = {1.0f, 0.0f};
  const auto cosine = [](double degrees) { return std::cos(degrees * M_PI / 180); };
  const ReferenceRows many = on_circle({80, 10, 40, 20, 30, 50, 70, 60});
  CHECK_LE(std::abs(many.nearness(east) - cosine(50)), 1e-6);
  CHECK_LE(std::abs(on_circle({20, 90}).nearness(east) - cosine(90)), 1e-6);
  CHECK_LE(std::abs(on_circle({180}).nearness(east) + 1.0), 1e-6);
  CHECK_THROWS_AS(ReferenceRows{}.nearness(east), ShapeError);
  CHECK_THROWS_AS(many.nearness(std::vector<float>(3)), ShapeError);
}

TEST_CASE("fresh rightful rows are flagged 5 % of the time, whatever their distribution") {
  Random random(1);
  for (const double power : {1.0, 4.0}) {
    const auto draw = [&](std::size_t count) {
      std::vector<double> values(count);
      for (double& value : values) value = std::exp(power * random.normal());
      return values;
    };
    const TypicalityCurve curve = *typicality_curve(draw(2000), "rows");
    // Four deviations of a share of 5 % over 2,000 rows, with those of the curve itself.
    CHECK_LE(std::abs(share_flagged(curve, draw(2000)) - kNoneBelow), 0.028);
  }
}

TEST_CASE("typicality is the share of rows that are as far away or farther") {
  std::vector<double> values;
  for (int i = 0; i <= 1000; ++i) values.push_back(i / 1000.0);
  const TypicalityCurve curve = *typicality_curve(values, "rows");
  CHECK_EQ(curve.count, 1001);
  CHECK_EQ(curve.quantiles.size(), 101);
  for (const double nearness : {0.0, 0.02, 0.333, 0.75})
    CHECK_LE(std::abs(curve.typicality(nearness) - nearness), 1e-9);
  CHECK_LE(std::abs(curve.threshold() - 0.05), 1e-9);
  CHECK_EQ(curve.typicality(-0.1), 0.0);
  CHECK_EQ(curve.typicality(1.0), 1.0);
  CHECK_EQ(curve.typicality(7.0), 1.0);
}

TEST_CASE("one row and equal rows are enough for a curve") {
  CHECK_FALSE(typicality_curve({}, "rows").has_value());
  for (const std::size_t count : {1UL, 30UL}) {
    const TypicalityCurve curve = *typicality_curve(std::vector<double>(count, 0.5), "rows");
    CHECK_EQ(curve.typicality(0.5), 1.0);
    CHECK_EQ(curve.typicality(0.49), 0.0);
  }
}

TEST_CASE("rows are judged by the curve of their kind of group, or by the only one there is") {
  Calibration calibration;
  calibration.reference = on_circle({0});
  calibration.known = typicality_curve({0.9, 1.0}, "known");
  const std::vector<float> row = {0.6f, 0.8f};  // nearness 0.6
  CHECK_EQ(calibration.typicality(row, true), 0.0);
  CHECK_EQ(calibration.typicality(row, false), 0.0);
  calibration.discovered = typicality_curve({0.1, 0.2}, "discovered");
  CHECK_EQ(calibration.typicality(row, true), 0.0);
  CHECK_EQ(calibration.typicality(row, false), 1.0);
}

TEST_CASE("a calibration survives its file, and a broken one is refused by name") {
  Calibration calibration;
  calibration.known = typicality_curve({0.1, 0.7, 0.3}, "test rows");
  calibration.checkpoint = "epoch-0004";
  const nlohmann::ordered_json json = to_json(calibration);
  const Calibration again = opencd::calibration(nlohmann::ordered_json::parse(json.dump()), "f");
  CHECK_EQ(again.checkpoint, "epoch-0004");
  REQUIRE(again.known.has_value());
  CHECK_FALSE(again.discovered.has_value());
  CHECK_EQ(again.known->rows, "test rows");
  CHECK_EQ(again.known->count, 3);
  CHECK_EQ(again.known->quantiles, calibration.known->quantiles);
  const auto refused = [&](const char* key, const nlohmann::ordered_json& value) {
    nlohmann::ordered_json broken = json;
    broken["known"][key] = value;
    return message_of<FormatError>([&] { opencd::calibration(broken, "eval/calibration.json"); });
  };
  CHECK_CONTAINS(refused("quantiles", {0.5, 0.1}), "eval/calibration.json");
  CHECK_CONTAINS(refused("quantiles", {0.5}), "two or more ascending");
  CHECK_CONTAINS(refused("count", "three"), "eval/calibration.json");
}

TEST_CASE("damaged anywhere, a calibration is refused by name or still one that can judge") {
  Calibration whole;
  whole.known = typicality_curve({0.1, 0.7, 0.3}, "rows");
  whole.known->quantiles = {0.1, 0.5, 0.75};
  whole.checkpoint = "epoch-0004";
  const std::string text = to_json(whole).dump();
  std::vector<std::string> damaged = corruptions(text);
  for (const char* key : {"checkpoint", "known", "discovered", "rows", "count", "quantiles"})
    for (const std::string& value : json_of_every_type()) {
      nlohmann::ordered_json broken = to_json(whole);
      (broken.contains(key) ? broken : broken["known"])[key] = nlohmann::ordered_json::parse(value);
      damaged.push_back(broken.dump());
    }
  for (const std::string& value : json_of_every_type()) damaged.push_back(value);
  std::size_t judged = 0;
  for (const std::string& bytes : damaged) {
    CAPTURE(bytes);
    const auto json = nlohmann::ordered_json::parse(bytes, nullptr, false);
    if (json.is_discarded()) continue;  // files/strict_json names the file and the place
    try {
      Calibration read = calibration(json, "eval/calibration.json");
      read.reference = on_circle({0});
      for (const double x : {-1.0, 0.0, 0.6, 1.0}) {
        const std::vector<float> row = {static_cast<float>(x),
                                        static_cast<float>(std::sqrt(1.0 - x * x))};
        const double typicality = read.typicality(row, true);
        CHECK_GE(typicality, 0.0);
        CHECK_LE(typicality, 1.0);
      }
      ++judged;
    } catch (const FormatError& error) {
      CHECK_CONTAINS(error.what(), "eval/calibration.json");
    }
  }
  CHECK_GT(judged, 0);
}

TEST_SUITE_END();

}  // namespace opencd::test
