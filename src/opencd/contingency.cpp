#include "opencd/contingency.hpp"

#include "error.hpp"

#include <algorithm>
#include <numeric>

namespace opencd {

namespace {

void check_range(const char* what, std::span<const std::int32_t> values, std::size_t bound) {
  for (std::size_t row = 0; row < values.size(); ++row)
    if (values[row] < 0 || static_cast<std::size_t>(values[row]) >= bound)
      fail<ShapeError>("[contingency] row {} has {} {}, expected 0 or more and below {}", row, what,
                       values[row], bound);
}

/// Keeps the first `size` partners, those that are themselves among the first `bound`.
void remove_padding(std::vector<std::int32_t>& partners, std::size_t size, std::size_t bound) {
  partners.resize(size);
  for (std::int32_t& partner : partners)
    if (static_cast<std::size_t>(partner) >= bound) partner = -1;
}

}  // namespace

std::vector<std::int64_t> Contingency::rows_of_groups() const {
  std::vector<std::int64_t> sums(groups, 0);
  for (std::size_t group = 0; group < groups; ++group)
    for (std::size_t cls = 0; cls < classes; ++cls) sums[group] += at(group, cls);
  return sums;
}

std::vector<std::int64_t> Contingency::rows_of_classes() const {
  std::vector<std::int64_t> sums(classes, 0);
  for (std::size_t group = 0; group < groups; ++group)
    for (std::size_t cls = 0; cls < classes; ++cls) sums[cls] += at(group, cls);
  return sums;
}

std::int64_t Contingency::rows() const {
  return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
}

Contingency count_contingency(std::span<const std::int32_t> group_of_row,
                              std::span<const std::int32_t> class_of_row,
                              std::size_t groups,
                              std::size_t classes) {
  if (group_of_row.size() != class_of_row.size())
    fail<ShapeError>("[contingency] {} rows have a group, {} have a class", group_of_row.size(),
                     class_of_row.size());
  check_range("group", group_of_row, groups);
  check_range("class", class_of_row, classes);
  Contingency table{groups, classes, std::vector<std::int64_t>(groups * classes, 0)};
  for (std::size_t row = 0; row < group_of_row.size(); ++row)
    ++table.counts[static_cast<std::size_t>(group_of_row[row]) * classes +
                   static_cast<std::size_t>(class_of_row[row])];
  return table;
}

Contingency count_labelled(std::span<const std::int32_t> group_of_row,
                           std::span<const std::int32_t> class_of_row,
                           std::size_t groups,
                           std::size_t classes) {
  std::vector<std::int32_t> labelled_groups;
  std::vector<std::int32_t> labelled_classes;
  for (std::size_t row = 0; row < std::min(group_of_row.size(), class_of_row.size()); ++row)
    if (class_of_row[row] >= 0) {
      labelled_groups.push_back(group_of_row[row]);
      labelled_classes.push_back(class_of_row[row]);
    }
  return count_contingency(labelled_groups, labelled_classes, groups, classes);
}

Contingency restrict_groups(const Contingency& table, std::span<const std::size_t> groups) {
  Contingency part{groups.size(), table.classes, {}};
  part.counts.reserve(groups.size() * table.classes);
  for (const std::size_t group : groups)
    for (std::size_t cls = 0; cls < table.classes; ++cls)
      part.counts.push_back(table.at(group, cls));
  return part;
}

Contingency restrict_classes(const Contingency& table, std::size_t first, std::size_t last) {
  if (first > last || last > table.classes)
    fail<ShapeError>("[contingency] expected a range within {} classes, got {} .. {}",
                     table.classes, first, last);
  Contingency part{table.groups, last - first, {}};
  part.counts.reserve(part.groups * part.classes);
  for (std::size_t group = 0; group < table.groups; ++group)
    for (std::size_t cls = first; cls < last; ++cls) part.counts.push_back(table.at(group, cls));
  return part;
}

Assignment match(const Contingency& table) {
  const std::size_t size = std::max(table.groups, table.classes);
  std::vector<double> square(size * size, 0.0);
  for (std::size_t group = 0; group < table.groups; ++group)
    for (std::size_t cls = 0; cls < table.classes; ++cls)
      square[group * size + cls] = static_cast<double>(table.at(group, cls));
  Assignment result = assign({square, size, size}, Objective::maximise);
  remove_padding(result.column_of_row, table.groups, table.classes);
  remove_padding(result.row_of_column, table.classes, table.groups);
  return result;
}

}  // namespace opencd
