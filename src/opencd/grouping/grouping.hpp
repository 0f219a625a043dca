// Groups of prototypes: what every grouping algorithm returns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace opencd {

/// Prototype k belongs to group group_of[k], one of 0 .. groups - 1; no group is empty.
struct Grouping {
  std::vector<std::int32_t> group_of;
  std::size_t groups = 0;

  std::size_t prototypes() const { return group_of.size(); }
  std::vector<std::size_t> sizes() const;

  friend bool operator==(const Grouping&, const Grouping&) = default;
};

/// Groups numbered in the order of their first prototype. `labels` may be any numbers of 0 or more;
/// a negative one throws ShapeError.
Grouping number_groups(std::span<const std::int32_t> labels);

/// Every prototype its own group: the state before the first grouping.
Grouping single_groups(std::size_t prototypes);

}  // namespace opencd
