#include "bench/predict.hpp"

#include "bench/reference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace opencd::bench {

namespace {

constexpr std::size_t kBlocks = 4;
// Blocks of another size go through other routines of the library, whose sums differ in the last bits.
constexpr float kLikenessTolerance = 1e-3f;

data::ImageRows noise(const data::ImageShape& shape, std::size_t rows) {
  const std::vector<float> values = random_values(rows * shape.size(), 44);
  std::vector<std::uint8_t> pixels(values.size());
  std::transform(values.begin(), values.end(), pixels.begin(),
                 [](float value) { return static_cast<std::uint8_t>(127.5f * (value + 1.0f)); });
  return {.pixels = data::Bytes(std::move(pixels)),
          .labels = std::vector<std::int32_t>(rows, data::kNoLabel),
          .paths = {}};
}

/// What a picture is does not depend on the pictures beside it.
std::string differences(const std::vector<Prediction>& expected,
                        const std::vector<Prediction>& found) {
  for (std::size_t row = 0; row < found.size(); ++row) {
    const float distance = std::abs(found[row].likeness - expected[row].likeness);
    if (!(distance <= kLikenessTolerance))
      return fmt::format("picture {}: likeness {}, but {} in blocks of another size", row,
                         expected[row].likeness, found[row].likeness);
  }
  return "";
}

}  // namespace

std::vector<Result> run_predict_suite(const nn::Engine& engine,
                                      const SavedModel& saved,
                                      const TrainedModelOptions& predict,
                                      const MeasureOptions& options) {
  const data::ImageShape& shape = saved.description.picture;
  const data::ImageRows rows = noise(shape, kBlocks * predict.block);
  TrainedModel model(engine, saved, predict);
  Case labels;
  labels.name = "predict";
  labels.params = {{"method", saved.description.method},
                   {"arch", saved.description.encoder.arch},
                   {"width", saved.description.encoder.width},
                   {"picture", {shape.height, shape.width, shape.channels}},
                   {"block", predict.block}};
  labels.work = static_cast<double>(rows.size());
  labels.unit = "img";
  labels.run = [&] { model.predict(rows); };
  labels.check = [&] {
    TrainedModel other(engine, saved,
                       {.block = predict.block / 3 + 1, .deterministic = predict.deterministic});
    return differences(model.predict(rows), other.predict(rows));
  };
  return {measure(engine.device(), labels, options)};
}

}  // namespace opencd::bench
