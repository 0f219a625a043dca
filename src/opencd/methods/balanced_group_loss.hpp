// The group loss of `opencd+`: each view learns the balanced targets of the other, so that no group
// can take the batch and none is left out.
//
//   T_v = balanced(q_v)      L = (cross-entropy of q_1 against T_2 + of q_2 against T_1) / 2
//
// No gradient flows into targets.
#pragma once

#include "kernels/balanced_targets.hpp"
#include "kernels/readback.hpp"

#include <array>

namespace opencd {

class BalancedGroupLoss {
 public:
  /// For batches of `rows` and any groups of as many prototypes.
  BalancedGroupLoss(kernels::Device& device, std::size_t rows, std::size_t prototypes);

  /// Every group is to have the same share.
  void set_groups(const kernels::PrototypeGroups& groups);

  /// Adds the gradients of the cosines of both views. `groups` are those of set_groups.
  void add(const kernels::PrototypeGroups& groups,
           std::array<kernels::Rows<const float>, 2> p,
           std::array<kernels::Rows<float>, 2> diff,
           float temperature);
  /// The loss of the last batch. Waits for it.
  double value();

 private:
  kernels::Device& device_;
  std::size_t rows_;
  std::array<kernels::Buffer<float>, 2> q_, targets_;
  kernels::Buffer<float> losses_;  // of the two views
  kernels::Buffer<float> shares_;
  kernels::Scratch scratch_;
  std::array<kernels::Readback<float>, 2> readbacks_;
};

}  // namespace opencd
