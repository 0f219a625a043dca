#include "opencd/counting/distances.hpp"

#include <limits>

namespace opencd {

std::vector<std::int32_t> nearest_centres(std::span<const float> rows,
                                          std::span<const float> centres,
                                          std::size_t columns) {
  std::vector<std::int32_t> nearest(rows.size() / columns, 0);
  for (std::size_t i = 0; i < nearest.size(); ++i) {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < centres.size() / columns; ++k) {
      const double distance = squared_distance(rows.subspan(i * columns, columns),
                                               centres.subspan(k * columns, columns));
      if (distance >= least) continue;
      least = distance;
      nearest[i] = static_cast<std::int32_t>(k);
    }
  }
  return nearest;
}

}  // namespace opencd
