// How often two prototypes are both among the nearest of a row.
#pragma once

#include "kernels/memory.hpp"

#include <cstdint>

namespace opencd::kernels {

void clear_counts(Device& device, View<std::uint32_t> counts);

/// `lists` holds the kappa nearest prototypes of every row, as top_k_rows gives them: different
/// ones, below counts.rows. Adds to the square matrix `counts`, above its diagonal, the rows that
/// two prototypes share, and on it the rows that each has; what is below stays untouched. `nearest`
/// takes the first prototype of every row, unless it is empty. Rows may come block by
/// block, into counts that were cleared before the first.
void add_co_occurrences(Device& device,
                        Rows<const std::int32_t> lists,
                        Rows<std::uint32_t> counts,
                        View<std::int32_t> nearest = {});

}  // namespace opencd::kernels
