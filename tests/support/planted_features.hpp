// Features with classes planted in them, some rows labelled: what clustering and discovery must find.
#pragma once

#include "opencd/method.hpp"
#include "support/device.hpp"
#include "support/random.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace opencd::test {

struct PlantedFeatures {
  std::size_t classes = 6;
  std::size_t rows = 600;
  std::size_t columns = 24;
  std::size_t known = 3;
  double spread = 0.5;        // of the rows about their class, whose entries are standard normal
  std::size_t labelled = 20;  // rows of every known class
  std::uint32_t seed = 1;
  std::size_t uneven = 1;  // every second class, from the second on, has so many times fewer rows

  std::vector<float> values;
  std::vector<std::int32_t> truth;   // row % classes, if all have as many
  std::vector<std::int32_t> labels;  // of labelled rows; -1 elsewhere
};

/// The classes of rows in turn; a rare class is left out but for every `uneven`-th turn.
inline std::vector<std::size_t> planted_classes(const PlantedFeatures& p) {
  std::vector<std::size_t> result;
  for (std::size_t turn = 0; result.size() < p.rows; ++turn)
    for (std::size_t cls = 0; cls < p.classes && result.size() < p.rows; ++cls)
      if (cls % 2 == 0 || turn % p.uneven == 0) result.push_back(cls);
  return result;
}

inline PlantedFeatures planted(PlantedFeatures p) {
  Random random(p.seed);
  const std::vector<float> centres = random.normals(p.classes * p.columns);
  std::vector<std::size_t> left(p.classes, p.labelled);
  for (const std::size_t cls : planted_classes(p)) {
    for (std::size_t c = 0; c < p.columns; ++c)
      p.values.push_back(centres[cls * p.columns + c] +
                         static_cast<float>(p.spread * random.normal()));
    const bool given = cls < p.known && left[cls] > 0;
    if (given) --left[cls];
    p.truth.push_back(static_cast<std::int32_t>(cls));
    p.labels.push_back(given ? static_cast<std::int32_t>(cls) : -1);
  }
  return p;
}

/// The features as a method is handed them, in blocks of an awkward size.
class TrainingFeaturesOf final : public TrainingFeatures {
 public:
  explicit TrainingFeaturesOf(const PlantedFeatures& planted, bool pretrained = true)
      : planted_(planted),
        pretrained_(pretrained),
        on_device_(kernels::to_device(test_device(), planted.values)) {}

  std::span<const std::int32_t> labels() const override { return planted_.labels; }
  bool pretrained() const override { return pretrained_; }
  Rows<const float> all() const { return on_device_.rows(planted_.rows, planted_.columns); }
  void read(std::span<const std::uint32_t> rows, bool /*augmented*/, const Take& take) override {
    constexpr std::size_t kBlock = 37;
    for (std::size_t first = 0; first < rows.size(); first += kBlock) {
      std::vector<float> block;
      for (std::size_t i = first; i < std::min(rows.size(), first + kBlock); ++i) {
        const float* row = planted_.values.data() + rows[i] * planted_.columns;
        block.insert(block.end(), row, row + planted_.columns);
      }
      const auto on_device = kernels::to_device(test_device(), block);
      take(first, on_device.rows(block.size() / planted_.columns, planted_.columns));
    }
  }

 private:
  const PlantedFeatures& planted_;
  bool pretrained_;
  kernels::Buffer<float> on_device_;
};

/// The share of rows whose group is the class itself for known classes, and for others the group
/// that most rows of the class are in, if no other class has it.
inline double planted_accuracy(const PlantedFeatures& planted,
                               const std::vector<Prediction>& predictions) {
  std::vector<std::map<std::int32_t, std::size_t>> groups(planted.classes);
  for (std::size_t row = 0; row < planted.rows; ++row)
    ++groups[static_cast<std::size_t>(planted.truth[row])][predictions[row].group];
  std::set<std::int32_t> taken;
  std::size_t right = 0;
  for (std::size_t cls = 0; cls < planted.classes; ++cls) {
    auto best = std::max_element(groups[cls].begin(), groups[cls].end(),
                                 [](auto& a, auto& b) { return a.second < b.second; });
    if (cls < planted.known) best = groups[cls].find(static_cast<std::int32_t>(cls));
    if (best != groups[cls].end() && taken.insert(best->first).second) right += best->second;
  }
  return static_cast<double>(right) / static_cast<double>(planted.rows);
}

}  // namespace opencd::test
