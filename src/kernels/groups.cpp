#include "kernels/groups.hpp"

#include "kernels/check.hpp"
#include "kernels/device/groups.hpp"
#include "kernels/launch.hpp"

#include <algorithm>
#include <numeric>

namespace opencd::kernels {

namespace {

std::vector<std::int32_t> members_by_group(const std::vector<std::int32_t>& group_of) {
  std::vector<std::int32_t> members(group_of.size());
  std::iota(members.begin(), members.end(), 0);
  std::stable_sort(members.begin(), members.end(),
                   [&](std::int32_t a, std::int32_t b) { return group_of[a] < group_of[b]; });
  return members;
}

std::vector<std::int32_t> group_starts(const std::vector<std::int32_t>& group_of,
                                       std::size_t groups) {
  std::vector<std::int32_t> starts(groups + 1, 0);
  for (const std::int32_t group : group_of) {
    if (group < 0 || static_cast<std::size_t>(group) >= groups)
      fail<ShapeError>("[groups] expected groups from 0 to {}, got {}",
                       static_cast<std::ptrdiff_t>(groups) - 1, group);
    ++starts[static_cast<std::size_t>(group) + 1];
  }
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  return starts;
}

}  // namespace

PrototypeGroups::PrototypeGroups(Device& device,
                                 const std::vector<std::int32_t>& group_of,
                                 std::size_t groups)
    : group_of_(to_device(device, group_of)),
      members_(to_device(device, members_by_group(group_of))),
      starts_(to_device(device, group_starts(group_of, groups))) {}

void aggregate_groups(Device& device,
                      const PrototypeGroups& groups,
                      Rows<const float> p,
                      Rows<float> q) {
  require_equal("aggregate_groups", "rows", p.rows, q.rows);
  require_equal("aggregate_groups", "prototypes", groups.prototypes(), p.columns);
  require_equal("aggregate_groups", "groups", groups.groups(), q.columns);
  launch_elements(device, q.size(),
                  AggregateGroups{p.data, groups.members().data, groups.starts().data, q.data,
                                  q.size(), to_int("aggregate_groups", p.columns),
                                  to_int("aggregate_groups", q.columns)});
}

void aggregate_groups_backward(Device& device,
                               const PrototypeGroups& groups,
                               Rows<const float> diff_q,
                               Rows<float> diff_p) {
  require_equal("aggregate_groups_backward", "rows", diff_q.rows, diff_p.rows);
  require_equal("aggregate_groups_backward", "prototypes", groups.prototypes(), diff_p.columns);
  require_equal("aggregate_groups_backward", "groups", groups.groups(), diff_q.columns);
  launch_elements(
      device, diff_p.size(),
      AggregateGroupsBackward{diff_q.data, groups.group_of().data, diff_p.data, diff_p.size(),
                              to_int("aggregate_groups_backward", diff_p.columns),
                              to_int("aggregate_groups_backward", diff_q.columns)});
}

}  // namespace opencd::kernels
