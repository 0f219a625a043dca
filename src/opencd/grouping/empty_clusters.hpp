// What k-means does with clusters that lost all their rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace opencd {

/// Gives each empty cluster the row farthest from its centre, one row each, as long as any is away
/// from it. `distance` holds how far every row is; a row of distance 0 stays where it is. `sizes`
/// follows.
void fill_empty_clusters(std::vector<std::int32_t>& cluster_of,
                         std::vector<std::size_t>& sizes,
                         std::vector<double> distance);

}  // namespace opencd
