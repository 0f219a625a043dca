// How often two prototypes are both among the nearest of a row.
#pragma once

#include "kernels/memory.hpp"

#include <cstdint>

namespace opencd::kernels {

/// How many tables of counts keep cores out of each other's way, in a few megabytes.
std::size_t count_tables(std::size_t prototypes);

void clear_counts(Device& device, View<std::uint32_t> counts);

/// `lists` holds the kappa nearest prototypes of every row, different ones. `counts` is one or more
/// square tables, one below the other; rows are spread over them, and `join_counts` gives the result.
/// Adds above the diagonal the rows that two prototypes share, and on it the rows that each has; what
/// is below stays untouched. `nearest` takes the first prototype of every row, unless it is empty.
/// Rows may come block by block, into counts that were cleared before the first.
void add_co_occurrences(Device& device,
                        Rows<const std::int32_t> lists,
                        Rows<std::uint32_t> counts,
                        View<std::int32_t> nearest = {});

/// Adds all tables to the first, which is returned.
Rows<std::uint32_t> join_counts(Device& device, Rows<std::uint32_t> counts);

}  // namespace opencd::kernels
