// The linear assignment problem (Hungarian matching) of a rectangular matrix: pair rows with
// columns, none twice, so that the sum over the pairs is least or greatest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace opencd {

enum class Objective { minimise, maximise };

/// Row-major, not owned.
struct CostMatrix {
  std::span<const double> values;
  std::size_t rows = 0;
  std::size_t columns = 0;
};

/// All rows are paired, or all columns, whichever are fewer; -1 marks the unpaired of the others.
struct Assignment {
  std::vector<std::int32_t> column_of_row;
  std::vector<std::int32_t> row_of_column;
  double total = 0.0;  // the sum over the pairs
};

/// Shortest augmenting paths (D. F. Crouse, IEEE Transactions on Aerospace and Electronic Systems,
/// 2016) in O(min^2 max) steps. Where several assignments are best, the same input always gives the
/// same one: the one that SciPy gives where sums are exact; the identity if all entries are equal.
/// Throws NonFiniteError unless all entries are finite.
Assignment assign(const CostMatrix& costs, Objective objective);

}  // namespace opencd
