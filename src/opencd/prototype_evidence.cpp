#include "opencd/prototype_evidence.hpp"

#include <algorithm>
#include <utility>

namespace opencd {

PrototypeEvidence make_evidence(AffinityMatrix affinity,
                                std::span<const std::int32_t> nearest,
                                std::span<const std::int32_t> class_of_row,
                                std::size_t known) {
  const std::size_t prototypes = affinity.size();
  Contingency labelled = count_labelled(nearest, class_of_row, prototypes, known);
  const std::vector<std::int32_t> one_class(nearest.size(), 0);
  return {std::move(affinity), std::move(labelled),
          count_contingency(nearest, one_class, prototypes, 1).counts};
}

std::size_t groups_with_rows(const Grouping& grouping, std::span<const std::int64_t> rows) {
  std::vector<bool> has_rows(grouping.groups, false);
  for (std::size_t k = 0; k < rows.size(); ++k)
    if (rows[k] > 0) has_rows[static_cast<std::size_t>(grouping.group_of[k])] = true;
  return static_cast<std::size_t>(std::count(has_rows.begin(), has_rows.end(), true));
}

}  // namespace opencd
