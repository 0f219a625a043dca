#include "opencd/assignment.hpp"

#include "error.hpp"
#include "support/method_golden.hpp"
#include "support/random.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <numeric>

namespace opencd::test {

namespace {

std::vector<double> random_costs(std::uint32_t seed, std::size_t size, std::uint32_t bound) {
  Random random(seed);
  std::vector<double> costs(size);
  for (double& cost : costs) cost = random.below(bound);
  return costs;
}

std::vector<double> transposed(const std::vector<double>& costs, std::size_t columns) {
  std::vector<double> result(costs.size());
  const std::size_t rows = costs.size() / columns;
  for (std::size_t i = 0; i < costs.size(); ++i)
    result[i % columns * rows + i / columns] = costs[i];
  return result;
}

/// Both directions agree, no row or column is used twice, and as many as possible are paired.
void check_valid(const Assignment& result, std::size_t rows, std::size_t columns) {
  REQUIRE_EQ(result.column_of_row.size(), rows);
  REQUIRE_EQ(result.row_of_column.size(), columns);
  std::size_t pairs = 0;
  for (std::size_t row = 0; row < rows; ++row)
    if (const std::int32_t column = result.column_of_row[row]; column >= 0) {
      ++pairs;
      CHECK_EQ(result.row_of_column[static_cast<std::size_t>(column)],
               static_cast<std::int32_t>(row));
    }
  CHECK_EQ(pairs, std::min(rows, columns));
  CHECK_EQ(static_cast<std::size_t>(
               std::count(result.row_of_column.begin(), result.row_of_column.end(), -1)),
           columns - pairs);
}

/// Tells assignments of equal totals apart: the sum of row * column over the pairs.
std::size_t fingerprint(const Assignment& result) {
  std::size_t sum = 0;
  for (std::size_t row = 0; row < result.column_of_row.size(); ++row)
    if (const std::int32_t column = result.column_of_row[row]; column >= 0)
      sum += row * static_cast<std::size_t>(column);
  return sum;
}

}  // namespace

TEST_SUITE_BEGIN("opencd/assignment");

TEST_CASE("pairs and totals are those of scipy on 1000 rectangular matrices, ties included") {
  for (const auto& golden : method_golden("assignment")) {
    const std::size_t rows = golden[1];
    const std::size_t columns = golden[2];
    HashedWords words(golden[0]);
    std::vector<double> costs(rows * columns);
    for (double& cost : costs) cost = words.below(golden[3]);
    CAPTURE(golden.dump());
    const Assignment least = assign({costs, rows, columns}, Objective::minimise);
    const Assignment greatest = assign({costs, rows, columns}, Objective::maximise);
    check_valid(least, rows, columns);
    check_valid(greatest, rows, columns);
    CHECK_EQ(least.total, golden[4].get<double>());
    CHECK_EQ(fingerprint(least), golden[5].get<std::size_t>());
    CHECK_EQ(greatest.total, golden[6].get<double>());
    CHECK_EQ(fingerprint(greatest), golden[7].get<std::size_t>());
  }
}

TEST_CASE("a best assignment among all permutations is found") {
  for (std::uint32_t seed = 0; seed < 50; ++seed) {
    const std::vector<double> costs = random_costs(seed, 36, 20);
    std::vector<std::size_t> order(6);
    std::iota(order.begin(), order.end(), std::size_t{0});
    double least = std::numeric_limits<double>::infinity();
    do {
      double total = 0.0;
      for (std::size_t row = 0; row < 6; ++row) total += costs[row * 6 + order[row]];
      least = std::min(least, total);
    } while (std::next_permutation(order.begin(), order.end()));
    CHECK_EQ(assign({costs, 6, 6}, Objective::minimise).total, least);
  }
}

TEST_CASE("the total does not change by transposition or by the order of rows and columns") {
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    Random random(seed);
    const std::size_t rows = 1 + random.below(30);
    const std::size_t columns = 1 + random.below(30);
    const std::vector<double> costs = random_costs(seed, rows * columns, 1000);
    std::vector<double> rotated(costs.size());
    const std::size_t by_row = random.below(30);
    const std::size_t by_column = random.below(30);
    for (std::size_t i = 0; i < costs.size(); ++i)
      rotated[(i / columns + by_row) % rows * columns + (i % columns + by_column) % columns] =
          costs[i];
    const double total = assign({costs, rows, columns}, Objective::maximise).total;
    CHECK_EQ(assign({rotated, rows, columns}, Objective::maximise).total, total);
    const std::vector<double> flipped = transposed(costs, columns);
    CHECK_EQ(assign({flipped, columns, rows}, Objective::maximise).total, total);
  }
}

TEST_CASE("equal entries give the identity") {
  const std::vector<double> costs(12, 3.0);
  const Assignment result = assign({costs, 3, 4}, Objective::minimise);
  CHECK_EQ(result.column_of_row, std::vector<std::int32_t>{0, 1, 2});
  CHECK_EQ(result.total, 9.0);
}

TEST_CASE("a diagonal of counts is matched to itself for 1000 groups") {
  constexpr std::size_t kGroups = 1000;
  std::vector<double> counts = random_costs(1, kGroups * kGroups, 50);
  for (std::size_t group = 0; group < kGroups; ++group) counts[group * kGroups + group] = 1000.0;
  const Assignment result = assign({counts, kGroups, kGroups}, Objective::maximise);
  CHECK_EQ(result.total, 1000.0 * kGroups);
}

TEST_CASE("matrices without rows or columns have no pairs") {
  CHECK_EQ(assign({{}, 0, 3}, Objective::minimise).row_of_column,
           std::vector<std::int32_t>{-1, -1, -1});
  CHECK_EQ(assign({{}, 2, 0}, Objective::maximise).column_of_row,
           std::vector<std::int32_t>{-1, -1});
}

TEST_CASE("a size that does not fit and an entry that is not finite are refused") {
  std::vector<double> costs = {1.0, 2.0, 3.0, 4.0};
  CHECK_THROWS_WITH_AS(assign({costs, 2, 3}, Objective::minimise),
                       "[assign] expected 2 x 3 entries, got 4", ShapeError);
  costs[3] = std::numeric_limits<double>::infinity();
  CHECK_THROWS_WITH_AS(assign({costs, 2, 2}, Objective::minimise),
                       "[assign] the entry in row 1, column 1 is inf", NonFiniteError);
}

TEST_SUITE_END();

}  // namespace opencd::test
