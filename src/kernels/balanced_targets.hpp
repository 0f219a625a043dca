// Targets for groups that leave no group out: soft assignments of a batch in which every group has
// its share (Sinkhorn and Knopp), and the loss against them. What `opencd+` has in place of L_group.
#pragma once

#include "kernels/groups.hpp"
#include "kernels/scratch.hpp"

namespace opencd::kernels {

struct BalanceConfig {
  int rounds = 3;
  float sharpness = 2.0f;  // power of the probabilities before: tau over the temperature of targets
};

/// From group probabilities q (rows x groups) to targets of the same shape, whose rows sum to 1 and
/// whose columns have about the mean `shares` (positive, sum 1). `targets` may not be q.
void balanced_targets(Device& device,
                      Scratch& scratch,
                      Rows<const float> q,
                      View<const float> shares,
                      Rows<float> targets,
                      const BalanceConfig& config = {});
/// Bytes of scratch memory that it takes.
std::size_t balanced_targets_scratch_bytes(std::size_t rows, std::size_t groups);

/// One view: p is the softmax of cosines over `temperature`, q its sum over groups.
struct TargetBatch {
  Rows<const float> p;
  Rows<const float> q;
  Rows<const float> targets;
};

struct TargetLossConfig {
  float temperature = 0.1f;
  float weight = 1.0f;
};

/// The cross-entropy of q against the targets to loss[0]; `weight` times its gradient with respect to
/// the cosines is added to `diff`.
void target_cross_entropy(Device& device,
                          Scratch& scratch,
                          const PrototypeGroups& groups,
                          const TargetBatch& batch,
                          Rows<float> diff,
                          View<float> loss,
                          const TargetLossConfig& config = {});
/// Bytes of scratch memory that it takes.
std::size_t target_cross_entropy_scratch_bytes(std::size_t rows);

}  // namespace opencd::kernels
