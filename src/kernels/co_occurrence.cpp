#include "kernels/co_occurrence.hpp"

#include "kernels/check.hpp"
#include "kernels/device/co_occurrence.hpp"
#include "kernels/launch.hpp"

namespace opencd::kernels {

void clear_counts(Device& device, View<std::uint32_t> counts) {
  launch_elements(device, counts.size, ClearCounts{counts.data, counts.size});
}

void add_co_occurrences(Device& device,
                        Rows<const std::int32_t> lists,
                        Rows<std::uint32_t> counts,
                        View<std::int32_t> nearest) {
  const char* name = "add_co_occurrences";
  require_equal(name, "columns of counts", counts.rows, counts.columns);
  if (nearest.data != nullptr) require_equal(name, "nearest prototypes", lists.rows, nearest.size);
  if (lists.columns < 1 || lists.columns > counts.rows)
    fail<ShapeError>("[{}] expected lists of 1 to {} prototypes, got {}", name, counts.rows,
                     lists.columns);
  launch_elements(device, lists.rows,
                  CoOccurrence{lists.data, counts.data, nearest.data, lists.rows,
                               to_int(name, lists.columns), to_int(name, counts.rows)});
}

}  // namespace opencd::kernels
