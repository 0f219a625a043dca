#include "opencd/grouping/empty_clusters.hpp"

#include <algorithm>

namespace opencd {

void fill_empty_clusters(std::vector<std::int32_t>& cluster_of,
                         std::vector<std::size_t>& sizes,
                         std::vector<double> distance) {
  for (std::size_t empty = 0; empty < sizes.size(); ++empty) {
    if (sizes[empty] > 0) continue;
    const auto farthest = std::max_element(distance.begin(), distance.end());
    if (*farthest == 0.0) return;
    *farthest = 0.0;
    std::int32_t& cluster = cluster_of[static_cast<std::size_t>(farthest - distance.begin())];
    --sizes[static_cast<std::size_t>(cluster)];
    ++sizes[empty];
    cluster = static_cast<std::int32_t>(empty);
  }
}

}  // namespace opencd
