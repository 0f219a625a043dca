#include "kernels/co_occurrence.hpp"

#include "support/matrices.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

namespace opencd::test {

namespace {

using kernels::Buffer;

/// kappa different prototypes a row.
std::vector<std::int32_t> random_lists(std::size_t rows,
                                       std::size_t kappa,
                                       std::size_t prototypes,
                                       Random& random) {
  std::vector<std::int32_t> all(prototypes);
  std::iota(all.begin(), all.end(), 0);
  std::vector<std::int32_t> lists;
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t a = 0; a < kappa; ++a)
      std::swap(all[a], all[a + random.below(static_cast<std::uint32_t>(prototypes - a))]);
    lists.insert(lists.end(), all.begin(), all.begin() + static_cast<std::ptrdiff_t>(kappa));
  }
  return lists;
}

/// Every pair of prototypes against every row, as published code does it.
std::vector<std::uint32_t> double_loop(const std::vector<std::int32_t>& lists,
                                       std::size_t kappa,
                                       std::size_t prototypes) {
  std::vector<std::uint32_t> counts(prototypes * prototypes, 0);
  const auto has = [&](std::size_t row, std::size_t prototype) {
    const auto first = lists.begin() + static_cast<std::ptrdiff_t>(row * kappa);
    return std::find(first, first + static_cast<std::ptrdiff_t>(kappa),
                     static_cast<std::int32_t>(prototype)) !=
           first + static_cast<std::ptrdiff_t>(kappa);
  };
  for (std::size_t i = 0; i < prototypes; ++i)
    for (std::size_t j = i; j < prototypes; ++j)
      for (std::size_t row = 0; row < lists.size() / kappa; ++row)
        counts[i * prototypes + j] += has(row, i) && has(row, j) ? 1 : 0;
  return counts;
}

struct Sizes {
  std::size_t rows, kappa, prototypes;
};

}  // namespace

TEST_SUITE_BEGIN("kernels/co_occurrence");

TEST_CASE("counts equal a double loop over prototypes at awkward sizes") {
  for (const auto& [rows, kappa, prototypes] :
       {Sizes{1, 1, 1}, Sizes{1, 3, 3}, Sizes{7, 2, 5}, Sizes{16, 16, 16}, Sizes{255, 3, 50},
        Sizes{257, 10, 61}, Sizes{1000, 5, 33}, Sizes{130, 10, 500}}) {
    CAPTURE(rows);
    CAPTURE(prototypes);
    Random random(61);
    const auto lists = random_lists(rows, kappa, prototypes, random);
    const auto src = kernels::to_device(test_device(), lists);
    Buffer<std::uint32_t> counts(test_device(), prototypes * prototypes);
    Buffer<std::int32_t> nearest(test_device(), rows);
    kernels::clear_counts(test_device(), counts);
    kernels::add_co_occurrences(test_device(), src.rows(rows, kappa),
                                counts.rows(prototypes, prototypes), nearest);
    CHECK(kernels::to_host(test_device(), counts) == double_loop(lists, kappa, prototypes));
    const auto first = kernels::to_host(test_device(), nearest);
    for (std::size_t row = 0; row < rows; ++row) CHECK_EQ(first[row], lists[row * kappa]);
  }
}

TEST_CASE("rows spread over several tables add up to the counts of one") {
  constexpr std::size_t rows = 3000, kappa = 3, prototypes = 29;
  Random random(63);
  const auto lists = random_lists(rows, kappa, prototypes, random);
  const auto src = kernels::to_device(test_device(), lists);
  const auto expected = double_loop(lists, kappa, prototypes);
  for (const std::size_t tables : {1, 2, 7, 16}) {
    CAPTURE(tables);
    Buffer<std::uint32_t> counts(test_device(), tables * prototypes * prototypes);
    kernels::clear_counts(test_device(), counts);
    const auto all = counts.rows(tables * prototypes, prototypes);
    kernels::add_co_occurrences(test_device(), src.rows(rows, kappa), all);
    const auto joined = kernels::join_counts(test_device(), all);
    CHECK_EQ(joined.rows, prototypes);
    CHECK(kernels::to_host(test_device(), joined.flat()) == expected);
  }
}

TEST_CASE("tables of counts fit into some megabytes, and there is always one") {
  CHECK_EQ(kernels::count_tables(50), 16);
  CHECK_EQ(kernels::count_tables(500), 8);
  CHECK_EQ(kernels::count_tables(5000), 1);
}

TEST_CASE("blocks of rows add up to the whole") {
  constexpr std::size_t rows = 5000, kappa = 4, prototypes = 37;
  Random random(62);
  const auto lists = random_lists(rows, kappa, prototypes, random);
  const auto src = kernels::to_device(test_device(), lists);
  Buffer<std::uint32_t> whole(test_device(), prototypes * prototypes);
  Buffer<std::uint32_t> blocks(test_device(), prototypes * prototypes);
  kernels::clear_counts(test_device(), whole);
  kernels::clear_counts(test_device(), blocks);
  kernels::add_co_occurrences(test_device(), src.rows(rows, kappa),
                              whole.rows(prototypes, prototypes));
  for (std::size_t first = 0; first < rows; first += 1234)
    kernels::add_co_occurrences(
        test_device(),
        {src.data() + first * kappa, std::min<std::size_t>(1234, rows - first), kappa},
        blocks.rows(prototypes, prototypes));
  const auto counts = kernels::to_host(test_device(), whole);
  CHECK(kernels::to_host(test_device(), blocks) == counts);
  // every row counts kappa times on the diagonal, kappa (kappa - 1) / 2 times above it
  std::size_t diagonal = 0;
  for (std::size_t k = 0; k < prototypes; ++k) diagonal += counts[k * prototypes + k];
  CHECK_EQ(diagonal, rows * kappa);
  CHECK_EQ(std::accumulate(counts.begin(), counts.end(), std::size_t{0}),
           rows * kappa * (kappa + 1) / 2);
}

TEST_CASE("rejects counts that are not square and lists longer than there are prototypes") {
  Buffer<std::int32_t> lists(test_device(), 12);
  Buffer<std::uint32_t> counts(test_device(), 12);
  CHECK_THROWS_AS(kernels::add_co_occurrences(test_device(), lists.rows(4, 3), counts.rows(3, 4)),
                  ShapeError);
  CHECK_THROWS_AS(
      kernels::add_co_occurrences(test_device(), lists.rows(4, 3), {counts.data(), 2, 2}),
      ShapeError);
}

TEST_SUITE_END();

}  // namespace opencd::test
