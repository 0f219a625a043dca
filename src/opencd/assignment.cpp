#include "opencd/assignment.hpp"

#include "error.hpp"

#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace opencd {

namespace {

constexpr std::int32_t kUnpaired = -1;

/// Minimises over a matrix with no more rows than columns, one row after the other. Between rows it
/// keeps potentials u, v with cost[i][j] - u[i] - v[j] >= 0 everywhere and = 0 on pairs, which
/// proves the pairs of the rows so far to be optimal.
class AugmentingPaths {
 public:
  AugmentingPaths(std::vector<double> costs, std::size_t rows, std::size_t columns)
      : rows_(rows),
        columns_(columns),
        costs_(std::move(costs)),
        u_(rows, 0.0),
        v_(columns, 0.0),
        column_of_row_(rows, kUnpaired),
        row_of_column_(columns, kUnpaired),
        distance_(columns),
        previous_row_(columns),
        open_(columns) {}

  std::vector<std::int32_t> solve() {
    for (std::size_t row = 0; row < rows_; ++row) {
      const std::size_t last = find_path(row);
      raise_potentials(row, distance_[last]);
      flip_path(row, last);
    }
    return std::move(column_of_row_);
  }

 private:
  /// Dijkstra over reduced costs from `row` to the nearest unpaired column, which it returns.
  std::size_t find_path(std::size_t row) {
    distance_.assign(columns_, std::numeric_limits<double>::infinity());
    std::iota(open_.rbegin(), open_.rend(), std::size_t{0});  // equal costs: the identity
    open_count_ = columns_;
    double length = 0.0;
    for (std::size_t i = row;;) {
      const std::size_t nearest = relax_from(i, length);
      const std::size_t column = open_[nearest];
      std::swap(open_[nearest], open_[--open_count_]);
      length = distance_[column];
      if (row_of_column_[column] == kUnpaired) return column;
      i = static_cast<std::size_t>(row_of_column_[column]);
    }
  }

  /// Extends paths through row `i`; the place in `open_` of the column now nearest. Of equally near
  /// columns an unpaired one is taken, since it ends the search.
  std::size_t relax_from(std::size_t i, double length) {
    const double* cost = &costs_[i * columns_];
    const double offset = length - u_[i];
    double least = std::numeric_limits<double>::infinity();
    std::size_t nearest = 0;
    for (std::size_t place = 0; place < open_count_; ++place) {
      const std::size_t column = open_[place];
      const double through = offset + cost[column] - v_[column];
      if (through < distance_[column]) {
        distance_[column] = through;
        previous_row_[column] = i;
      }
      if (distance_[column] < least ||
          (distance_[column] == least && row_of_column_[column] == kUnpaired)) {
        least = distance_[column];
        nearest = place;
      }
    }
    return nearest;
  }

  /// The columns left out of `open_`, and the rows they are paired with, are those on shorter
  /// paths.
  void raise_potentials(std::size_t row, double length) {
    u_[row] += length;
    for (std::size_t place = open_count_; place < columns_; ++place) {
      const std::size_t column = open_[place];
      const double slack = length - distance_[column];
      v_[column] -= slack;
      if (row_of_column_[column] != kUnpaired)
        u_[static_cast<std::size_t>(row_of_column_[column])] += slack;
    }
  }

  /// Pairs every row on the path with the next column; one more row is paired than before.
  void flip_path(std::size_t row, std::size_t column) {
    for (std::size_t i = columns_; i != row;) {
      i = previous_row_[column];
      row_of_column_[column] = static_cast<std::int32_t>(i);
      const std::int32_t before =
          std::exchange(column_of_row_[i], static_cast<std::int32_t>(column));
      if (before != kUnpaired) column = static_cast<std::size_t>(before);
    }
  }

  std::size_t rows_;
  std::size_t columns_;
  std::vector<double> costs_;
  std::vector<double> u_;
  std::vector<double> v_;
  std::vector<std::int32_t> column_of_row_;
  std::vector<std::int32_t> row_of_column_;
  std::vector<double> distance_;           // of every column from the row being added
  std::vector<std::size_t> previous_row_;  // on the path to a column
  std::vector<std::size_t> open_;  // the first open_count_ columns have no final distance yet
  std::size_t open_count_ = 0;
};

void check(const CostMatrix& costs) {
  if (costs.values.size() != costs.rows * costs.columns)
    fail<ShapeError>("[assign] expected {} x {} entries, got {}", costs.rows, costs.columns,
                     costs.values.size());
  for (std::size_t i = 0; i < costs.values.size(); ++i)
    if (!std::isfinite(costs.values[i]))
      fail<NonFiniteError>("[assign] the entry in row {}, column {} is {}", i / costs.columns,
                           i % costs.columns, costs.values[i]);
}

/// To be minimised, the longer side as columns.
std::vector<double> oriented(const CostMatrix& costs, Objective objective) {
  const double sign = objective == Objective::minimise ? 1.0 : -1.0;
  std::vector<double> result(costs.values.size());
  const bool wide = costs.rows <= costs.columns;
  for (std::size_t row = 0; row < costs.rows; ++row)
    for (std::size_t column = 0; column < costs.columns; ++column)
      result[wide ? row * costs.columns + column : column * costs.rows + row] =
          sign * costs.values[row * costs.columns + column];
  return result;
}

std::vector<std::int32_t> inverse(const std::vector<std::int32_t>& pairs, std::size_t size) {
  std::vector<std::int32_t> result(size, kUnpaired);
  for (std::size_t i = 0; i < pairs.size(); ++i)
    result[static_cast<std::size_t>(pairs[i])] = static_cast<std::int32_t>(i);
  return result;
}

}  // namespace

Assignment assign(const CostMatrix& costs, Objective objective) {
  check(costs);
  const bool wide = costs.rows <= costs.columns;
  const std::size_t few = wide ? costs.rows : costs.columns;
  const std::size_t many = wide ? costs.columns : costs.rows;
  Assignment result;
  result.column_of_row = AugmentingPaths(oriented(costs, objective), few, many).solve();
  result.row_of_column = inverse(result.column_of_row, many);
  if (!wide) std::swap(result.column_of_row, result.row_of_column);
  for (std::size_t row = 0; row < costs.rows; ++row)
    if (const std::int32_t column = result.column_of_row[row]; column != kUnpaired)
      result.total += costs.values[row * costs.columns + static_cast<std::size_t>(column)];
  return result;
}

}  // namespace opencd
