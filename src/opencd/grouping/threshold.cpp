#include "opencd/grouping/threshold.hpp"

namespace opencd {

Grouping threshold_components(const AffinityMatrix& affinity, double delta) {
  const std::size_t size = affinity.size();
  Grouping result{std::vector<std::int32_t>(size, -1), 0};
  std::vector<std::size_t> reached;
  for (std::size_t start = 0; start < size; ++start) {
    if (result.group_of[start] >= 0) continue;
    const auto group = static_cast<std::int32_t>(result.groups++);
    result.group_of[start] = group;
    reached.assign(1, start);
    while (!reached.empty()) {
      const std::span<const double> links = affinity.row(reached.back());
      reached.pop_back();
      for (std::size_t other = 0; other < size; ++other)
        if (links[other] > delta && result.group_of[other] < 0) {
          result.group_of[other] = group;
          reached.push_back(other);
        }
    }
  }
  return result;
}

}  // namespace opencd
