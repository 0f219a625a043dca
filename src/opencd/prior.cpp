#include "opencd/prior.hpp"

namespace opencd {

std::vector<float> multi_prototype_prior(const Grouping& grouping) {
  const std::vector<std::size_t> sizes = grouping.sizes();
  std::vector<float> prior;
  prior.reserve(grouping.prototypes());
  for (const std::int32_t group : grouping.group_of) {
    const std::size_t shared_by = grouping.groups * sizes[static_cast<std::size_t>(group)];
    prior.push_back(static_cast<float>(1.0 / static_cast<double>(shared_by)));
  }
  return prior;
}

}  // namespace opencd
