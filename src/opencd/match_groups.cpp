#include "opencd/match_groups.hpp"

#include "error.hpp"

namespace opencd {

Contingency count_by_group(const Grouping& grouping, const Contingency& labelled) {
  Contingency table{grouping.groups, labelled.classes,
                    std::vector<std::int64_t>(grouping.groups * labelled.classes, 0)};
  for (std::size_t prototype = 0; prototype < labelled.groups; ++prototype) {
    const auto group = static_cast<std::size_t>(grouping.group_of[prototype]);
    for (std::size_t cls = 0; cls < labelled.classes; ++cls)
      table.counts[group * table.classes + cls] += labelled.at(prototype, cls);
  }
  return table;
}

std::optional<MatchedGroups> match_groups(const Grouping& grouping, const Contingency& labelled) {
  if (labelled.groups != grouping.prototypes())
    fail<ShapeError>("[match groups] expected labelled rows counted by {} prototypes, got {}",
                     grouping.prototypes(), labelled.groups);
  if (grouping.groups < labelled.classes) return std::nullopt;
  const Contingency table = count_by_group(grouping, labelled);
  const Assignment pairs = match(table);

  std::vector<std::int32_t> new_index = pairs.column_of_row;  // of a group: its class, or -1
  auto next = static_cast<std::int32_t>(labelled.classes);
  for (std::int32_t& index : new_index)
    if (index < 0) index = next++;

  MatchedGroups result{grouping, {0, table.rows()}};
  for (std::int32_t& group : result.grouping.group_of)
    group = new_index[static_cast<std::size_t>(group)];
  for (std::size_t cls = 0; cls < labelled.classes; ++cls)
    result.labelled.correct += table.at(static_cast<std::size_t>(pairs.row_of_column[cls]), cls);
  return result;
}

}  // namespace opencd
