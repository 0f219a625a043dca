#include "opencd/calibration.hpp"

#include "error.hpp"
#include "support/message.hpp"
#include "support/random.hpp"

#include <algorithm>

namespace opencd::test {

namespace {

std::vector<Prediction> with_likeness(const std::vector<float>& values) {
  std::vector<Prediction> predictions;
  for (const float value : values) predictions.push_back({.likeness = value});
  return predictions;
}

double share_flagged(const Calibration& calibration, const std::vector<float>& likeness) {
  const auto flagged = std::count_if(likeness.begin(), likeness.end(), [&](float value) {
    return calibration.typicality(value) < kNoneBelow;
  });
  return static_cast<double>(flagged) / static_cast<double>(likeness.size());
}

}  // namespace

TEST_SUITE_BEGIN("opencd/calibration");

TEST_CASE("fresh rightful rows are flagged 5 % of the time, whatever their distribution") {
  Random random(1);
  for (const float power : {1.0f, 4.0f}) {
    const auto draw = [&](std::size_t count) {
      std::vector<float> values = random.normals(count);
      for (float& value : values) value = std::exp(power * value);  // anything but uniform
      return values;
    };
    const Calibration calibration = *calibrate(with_likeness(draw(2000)), "rows");
    // Four deviations of a share of 5 % over 2,000 rows, twice: calibration and test both sample.
    CHECK_LE(std::abs(share_flagged(calibration, draw(2000)) - kNoneBelow), 0.028);
  }
}

TEST_CASE("typicality is the share of rows that are as unlike or more") {
  std::vector<float> values;
  for (int i = 0; i <= 1000; ++i) values.push_back(static_cast<float>(i) / 1000.0f);
  const Calibration calibration = *calibrate(with_likeness(values), "rows");
  CHECK_EQ(calibration.count, 1001);
  CHECK_EQ(calibration.quantiles.size(), 101);
  for (const double likeness : {0.0, 0.02, 0.333, 0.75})
    CHECK_LE(std::abs(calibration.typicality(likeness) - likeness), 1e-6);
  CHECK_LE(std::abs(calibration.threshold() - 0.05), 1e-6);
  CHECK_EQ(calibration.typicality(-0.1), 0.0);
  CHECK_EQ(calibration.typicality(1.0), 1.0);
  CHECK_EQ(calibration.typicality(7.0), 1.0);
}

TEST_CASE("one row and equal rows are enough to calibrate with") {
  CHECK_FALSE(calibrate({}, "rows").has_value());
  for (const std::size_t count : {1UL, 30UL}) {
    const Calibration calibration =
        *calibrate(with_likeness(std::vector<float>(count, 0.5f)), "rows");
    CHECK_EQ(calibration.typicality(0.5), 1.0);
    CHECK_EQ(calibration.typicality(0.49), 0.0);
  }
}

TEST_CASE("a calibration survives its file, and a broken one is refused by name") {
  Calibration calibration = *calibrate(with_likeness({0.1f, 0.7f, 0.3f}), "test rows");
  calibration.checkpoint = "epoch-0004";
  const nlohmann::ordered_json json = to_json(calibration);
  const Calibration again = opencd::calibration(nlohmann::ordered_json::parse(json.dump()), "f");
  CHECK_EQ(again.rows, "test rows");
  CHECK_EQ(again.count, 3);
  CHECK_EQ(again.checkpoint, "epoch-0004");
  CHECK_EQ(again.quantiles, calibration.quantiles);
  const auto refused = [&](const char* key, const nlohmann::ordered_json& value) {
    nlohmann::ordered_json broken = json;
    broken[key] = value;
    return message_of<FormatError>([&] { opencd::calibration(broken, "eval/calibration.json"); });
  };
  CHECK_CONTAINS(refused("quantiles", {0.5, 0.1}), "eval/calibration.json");
  CHECK_CONTAINS(refused("quantiles", {0.5}), "two or more ascending");
  CHECK_CONTAINS(refused("count", "three"), "eval/calibration.json");
}

TEST_SUITE_END();

}  // namespace opencd::test
