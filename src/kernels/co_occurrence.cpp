#include "kernels/co_occurrence.hpp"

#include "kernels/check.hpp"
#include "kernels/device/co_occurrence.hpp"
#include "kernels/launch.hpp"

#include <algorithm>

namespace opencd::kernels {

namespace {

constexpr std::size_t kBytesOfTables = 8u << 20;
constexpr std::size_t kMostTables = 16;

std::size_t tables_in(const char* operation, Rows<std::uint32_t> counts) {
  const std::size_t tables = counts.columns == 0 ? 0 : counts.rows / counts.columns;
  if (tables == 0 || tables * counts.columns != counts.rows)
    fail<ShapeError>("[{}] expected square tables of counts, got {} rows of {}", operation,
                     counts.rows, counts.columns);
  return tables;
}

}  // namespace

std::size_t count_tables(std::size_t prototypes) {
  const std::size_t table = prototypes * prototypes * sizeof(std::uint32_t);
  return std::clamp<std::size_t>(kBytesOfTables / table, 1, kMostTables);
}

void clear_counts(Device& device, View<std::uint32_t> counts) {
  launch_elements(device, counts.size, ClearCounts{counts.data, counts.size});
}

void add_co_occurrences(Device& device,
                        Rows<const std::int32_t> lists,
                        Rows<std::uint32_t> counts,
                        View<std::int32_t> nearest) {
  const char* name = "add_co_occurrences";
  const std::size_t tables = tables_in(name, counts);
  if (nearest.data != nullptr) require_equal(name, "nearest prototypes", lists.rows, nearest.size);
  if (lists.columns < 1 || lists.columns > counts.columns)
    fail<ShapeError>("[{}] expected lists of 1 to {} prototypes, got {}", name, counts.columns,
                     lists.columns);
  launch_elements(device, lists.rows,
                  CoOccurrence{lists.data, counts.data, nearest.data, lists.rows,
                               to_int(name, lists.columns), to_int(name, counts.columns), tables});
}

Rows<std::uint32_t> join_counts(Device& device, Rows<std::uint32_t> counts) {
  const std::size_t tables = tables_in("join_counts", counts);
  const std::size_t size = counts.columns * counts.columns;
  if (tables > 1) launch_elements(device, size, JoinTables{counts.data, size, tables});
  return {counts.data, counts.columns, counts.columns};
}

}  // namespace opencd::kernels
