#include "opencd/prediction.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace opencd {

Prediction predict_from_cosines(std::span<const float> cosines,
                                const Grouping& grouping,
                                double temperature) {
  const auto nearest = std::max_element(cosines.begin(), cosines.end());
  const auto best = static_cast<std::size_t>(
      grouping.group_of[static_cast<std::size_t>(nearest - cosines.begin())]);
  std::vector<double> q(grouping.groups, 0.0);
  double sum = 0.0;
  for (std::size_t k = 0; k < cosines.size(); ++k) {
    const double weight = std::exp((static_cast<double>(cosines[k]) - *nearest) / temperature);
    q[static_cast<std::size_t>(grouping.group_of[k])] += weight;
    sum += weight;
  }
  double other = 0.0;
  for (std::size_t g = 0; g < q.size(); ++g)
    if (g != best) other = std::max(other, q[g]);
  return {static_cast<std::int32_t>(best), static_cast<float>(q[best] / sum),
          static_cast<float>((q[best] - other) / sum), *nearest};
}

Prediction predict_from_logits(std::span<const float> logits, const Grouping& grouping) {
  Prediction prediction = predict_from_cosines(logits, grouping, 1.0);
  prediction.likeness = prediction.confidence;
  return prediction;
}

std::vector<Prediction> predict_rows_from_logits(std::span<const float> logits,
                                                 const Grouping& grouping) {
  const std::size_t columns = grouping.prototypes();
  std::vector<Prediction> result(logits.size() / columns);
  for (std::size_t row = 0; row < result.size(); ++row)
    result[row] = predict_from_logits(logits.subspan(row * columns, columns), grouping);
  return result;
}

std::vector<std::int32_t> largest_of_rows(std::span<const float> values, std::size_t columns) {
  std::vector<std::int32_t> result(values.size() / columns);
  for (std::size_t row = 0; row < result.size(); ++row) {
    const auto entries = values.subspan(row * columns, columns);
    result[row] = static_cast<std::int32_t>(std::max_element(entries.begin(), entries.end()) -
                                            entries.begin());
  }
  return result;
}

}  // namespace opencd
