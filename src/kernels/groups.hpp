// Groups of prototypes, and the aggregation of prototype probabilities p into group probabilities q
// = p M^T.
#pragma once

#include "kernels/memory.hpp"

#include <cstdint>
#include <vector>

namespace opencd::kernels {

/// Which group every prototype belongs to, kept on the device in both directions.
class PrototypeGroups {
 public:
  /// `group_of[k]` is the group of prototype k. Groups are 0 .. groups - 1; one may be empty.
  PrototypeGroups(Device& device, const std::vector<std::int32_t>& group_of, std::size_t groups);

  std::size_t prototypes() const { return group_of_.size(); }
  std::size_t groups() const { return starts_.size() - 1; }
  View<const std::int32_t> group_of() const { return group_of_; }
  /// Prototypes listed group by group; group g owns the entries starts[g] .. starts[g + 1].
  View<const std::int32_t> members() const { return members_; }
  View<const std::int32_t> starts() const { return starts_; }

 private:
  Buffer<std::int32_t> group_of_;
  Buffer<std::int32_t> members_;
  Buffer<std::int32_t> starts_;
};

/// q[b][g] = sum of p[b][k] over the prototypes k of group g.
void aggregate_groups(Device& device,
                      const PrototypeGroups& groups,
                      Rows<const float> p,
                      Rows<float> q);
/// diff_p[b][k] = diff_q[b][group of k].
void aggregate_groups_backward(Device& device,
                               const PrototypeGroups& groups,
                               Rows<const float> diff_q,
                               Rows<float> diff_p);

}  // namespace opencd::kernels
