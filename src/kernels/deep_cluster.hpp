// Deep transfer clustering: soft assignments to centres by Student's t, and the loss that pulls them to
// targets and the two views together, value and gradient in one call.
#pragma once

#include "kernels/deep_cluster_record.hpp"
#include "kernels/scratch.hpp"

namespace opencd::kernels {

/// s[i][j] proportional to 1 / (1 + |z_i - centre_j|^2), rows sum to 1; `totals` keeps what they were
/// divided by.
void student_assignments(Device& device,
                         Rows<const float> z,
                         Rows<const float> centres,
                         Rows<float> s,
                         View<float> totals);

/// A view of a batch and what student_assignments made of it.
struct AssignedView {
  Rows<const float> z;
  Rows<const float> s;
  View<const float> totals;
  Rows<float> diff_z;  // assigned
};

/// What the batch is compared with.
struct ClusterTargets {
  Rows<const float> targets;             // of all training rows
  View<const std::int32_t> row_numbers;  // of the batch's rows among them
  View<const std::int32_t> labels;       // rows with a label take no part
};

/// KL of view 1 from the targets and `consistency_weight` times the mean squared difference of the
/// views: the terms to record[0], the gradients of the total to both diff_z and to diff_centres
/// (assigned).
void deep_cluster_loss(Device& device,
                       Scratch& scratch,
                       const AssignedView& view1,
                       const AssignedView& view2,
                       Rows<const float> centres,
                       const ClusterTargets& targets,
                       Rows<float> diff_centres,
                       View<DeepClusterRecord> record,
                       float consistency_weight);
/// Bytes of scratch memory that it takes.
std::size_t deep_cluster_scratch_bytes(std::size_t rows, std::size_t clusters);

}  // namespace opencd::kernels
