// What the rows of a training set say about a set of prototypes: all that grouping and counting look
// at.
#pragma once

#include "opencd/affinity_matrix.hpp"
#include "opencd/contingency.hpp"
#include "opencd/grouping/grouping.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace opencd {

/// What is known of the rows that are looked at.
struct KnownRows {
  std::span<const std::int32_t> class_of_row;  // negative: none is known
  std::size_t classes = 0;                     // known ones
  double unlabelled_weight = 1.0;  // rows of the whole set that one without a class stands for
};

struct PrototypeEvidence {
  AffinityMatrix affinity;
  Contingency labelled;               // labelled rows by nearest prototype and known class
  std::vector<double> rows;           // all rows by nearest prototype
  std::vector<std::int32_t> nearest;  // prototype of each row that was looked at

  std::size_t prototypes() const { return affinity.size(); }
};

/// nearest[i] is the nearest prototype of row i. ShapeError as count_contingency.
PrototypeEvidence make_evidence(AffinityMatrix affinity,
                                std::span<const std::int32_t> nearest,
                                const KnownRows& known);

/// rows[k] are nearest to prototype k: those of every group.
std::vector<double> rows_of_groups(const Grouping& grouping, std::span<const double> rows);
/// Groups that at least one row is nearest to: a group without rows is not a class.
std::size_t groups_with_rows(const Grouping& grouping, std::span<const double> rows);

}  // namespace opencd
