// How often two prototypes are both among the kappa nearest of a row (the paper's section on
// grouping): Gamma(k) = rows that have prototype k in their list,
//   counts[i][j] += |Gamma(i) n Gamma(j)|   for i < j,      counts[k][k] += |Gamma(k)|,
// the upper triangle only, since the other is its mirror. Accumulates, so that rows may come in
// blocks. nearest[r], if wanted, is assigned the first of row r's list.
// One item a row adds 1 for every pair of its list: kappa (kappa + 1) / 2 integer atomics, whose
// order does not matter, so the result is exact and the same on every run. Cores that add to the same
// entries wait for each other (two are slower than one at 50 prototypes), so there are several tables,
// each for a stretch of the rows, which JoinTables adds up.
#pragma once

#include "kernels/device/row_loop.hpp"

namespace opencd::kernels {

struct ClearCounts {
  std::uint32_t* counts;
  std::size_t size;

  void operator()(sycl::nd_item<1> item) const {
    const std::size_t i = element_of(item);
    if (i < size) counts[i] = 0;
  }
};
OPENCD_KERNEL(ClearCounts, 1)

struct CoOccurrence {
  const std::int32_t* lists;  // rows x kappa, different entries in a row
  std::uint32_t* counts;      // tables x prototypes x prototypes
  std::int32_t* nearest;      // rows, or null
  std::size_t rows;
  int kappa;
  int prototypes;
  std::size_t tables;

  void operator()(sycl::nd_item<1> item) const {
    const std::size_t row = element_of(item);
    const std::size_t size = static_cast<std::size_t>(prototypes) * prototypes;
    std::uint32_t* table = counts + item.get_group(0) * tables / item.get_group_range(0) * size;
    if (row < rows) {
      const std::int32_t* list = lists + row * kappa;
      if (nearest != nullptr) nearest[row] = list[0];
      for (int a = 0; a < kappa; ++a)
        for (int b = a; b < kappa; ++b) {
          const auto upper = static_cast<std::size_t>(sycl::min(list[a], list[b]));
          const auto right = static_cast<std::size_t>(sycl::max(list[a], list[b]));
          sycl::atomic_ref<std::uint32_t, sycl::memory_order::relaxed, sycl::memory_scope::device>
              count(table[upper * prototypes + right]);
          count.fetch_add(1u);
        }
    }
  }
};
OPENCD_KERNEL(CoOccurrence, 1)

/// Adds the other tables to the first.
struct JoinTables {
  std::uint32_t* counts;
  std::size_t size;  // of a table
  std::size_t tables;

  void operator()(sycl::nd_item<1> item) const {
    const std::size_t i = element_of(item);
    if (i < size)
      for (std::size_t table = 1; table < tables; ++table) counts[i] += counts[table * size + i];
  }
};
OPENCD_KERNEL(JoinTables, 1)

}  // namespace opencd::kernels
