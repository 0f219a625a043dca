// How often group and class meet: the table from which all scores and matchings are computed.
#pragma once

#include "opencd/assignment.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace opencd {

/// counts[g * classes + c] rows are of group (or prototype) g and of class c.
struct Contingency {
  std::size_t groups = 0;
  std::size_t classes = 0;
  std::vector<std::int64_t> counts;

  std::int64_t at(std::size_t group, std::size_t cls) const {
    return counts[group * classes + cls];
  }
  std::vector<std::int64_t> rows_of_groups() const;
  std::vector<std::int64_t> rows_of_classes() const;
  std::int64_t rows() const;
};

/// Counts pairs (group_of_row[i], class_of_row[i]). Throws ShapeError, naming the row, where a
/// group is not in 0 .. groups - 1 or a class not in 0 .. classes - 1. A group or class may be
/// absent.
Contingency count_contingency(std::span<const std::int32_t> group_of_row,
                              std::span<const std::int32_t> class_of_row,
                              std::size_t groups,
                              std::size_t classes);

/// The same over the rows that have a class; where it is negative, none is known.
Contingency count_labelled(std::span<const std::int32_t> group_of_row,
                           std::span<const std::int32_t> class_of_row,
                           std::size_t groups,
                           std::size_t classes);

/// The columns of the classes first .. last - 1; all groups stay.
Contingency restrict_classes(const Contingency& table, std::size_t first, std::size_t last);

/// The rows of some groups, in the order given; all classes stay.
Contingency restrict_groups(const Contingency& table, std::span<const std::size_t> groups);

/// Pairs groups (rows) with classes (columns) so that most rows of the data are in a pair. The
/// table is filled up to a square with zeros, as published code does, so that ties fall the same
/// way.
Assignment match(const Contingency& table);

}  // namespace opencd
