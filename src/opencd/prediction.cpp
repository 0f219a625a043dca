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

}  // namespace opencd
