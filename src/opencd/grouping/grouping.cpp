#include "opencd/grouping/grouping.hpp"

#include "error.hpp"

#include <algorithm>
#include <numeric>

namespace opencd {

std::vector<std::size_t> Grouping::sizes() const {
  std::vector<std::size_t> result(groups, 0);
  for (const std::int32_t group : group_of) ++result[static_cast<std::size_t>(group)];
  return result;
}

Grouping number_groups(std::span<const std::int32_t> labels) {
  Grouping result;
  if (labels.empty()) return result;
  const std::int32_t largest = std::max(*std::max_element(labels.begin(), labels.end()), 0);
  std::vector<std::int32_t> number_of(static_cast<std::size_t>(largest) + 1, -1);
  result.group_of.reserve(labels.size());
  for (const std::int32_t label : labels) {
    if (label < 0) fail<ShapeError>("[groups] expected labels of 0 or more, got {}", label);
    std::int32_t& number = number_of[static_cast<std::size_t>(label)];
    if (number < 0) number = static_cast<std::int32_t>(result.groups++);
    result.group_of.push_back(number);
  }
  return result;
}

Grouping single_groups(std::size_t prototypes) {
  Grouping result{std::vector<std::int32_t>(prototypes), prototypes};
  std::iota(result.group_of.begin(), result.group_of.end(), 0);
  return result;
}

}  // namespace opencd
