// The losses of OpenNCD, values and gradients in one call: prototype-level similarity L_proto,
// group-level similarity L_group, prior regulariser L_reg, cross-entropy of labelled rows L_ce.
#pragma once

#include "kernels/groups.hpp"
#include "kernels/prototype_loss_config.hpp"
#include "kernels/scratch.hpp"

namespace opencd::kernels {

/// One batch of B pictures in two views.
struct PrototypeBatch {
  Rows<const float> p1;               // B x K: softmax of the cosines to the prototypes, view 1
  Rows<const float> p2;               // view 2
  View<const std::int32_t> partners;  // of every anchor of view 1, a row of view 2 (positive_pairs)
  View<const std::int32_t> labels;    // the group of a labelled row's class; negative: unlabelled
  View<const float> prior;            // K, positive, sums to 1
};

/// Writes the losses to record[0] and the gradients of their weighted total with respect to the
/// cosines of both views to diff1 and diff2 (assigned; neither may be p1 or p2). The same bits on
/// every run. An input that is NaN, or a label that is no group, makes the total NaN.
void prototype_losses(Device& device,
                      Scratch& scratch,
                      const PrototypeGroups& groups,
                      const PrototypeBatch& batch,
                      Rows<float> diff1,
                      Rows<float> diff2,
                      View<PrototypeLossRecord> record,
                      const PrototypeLossConfig& config = {});
/// Bytes of scratch memory that prototype_losses takes.
std::size_t prototype_loss_scratch_bytes(std::size_t rows,
                                         std::size_t prototypes,
                                         std::size_t groups);

}  // namespace opencd::kernels
