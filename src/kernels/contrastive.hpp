// Contrastive losses over two views, value and gradient in one call: SimCLR's NT-Xent, and SupCon
// for labelled pictures as GCD uses it.
#pragma once

#include "kernels/contrastive_record.hpp"
#include "kernels/scratch.hpp"

namespace opencd::kernels {

struct ContrastiveConfig {
  float temperature = 0.5f;
  float weight = 1.0f;  // of the gradient; the recorded loss is without it
};

/// For the 2B x 2B `cosines` of unit features z, view 1 in the first B rows and view 2 in the last:
/// the mean loss to record[0] and its gradient with respect to the cosines to diff_cosines, which
/// may be `cosines` itself. The gradient of z is then (diff + diff^T) z: two products.
void nt_xent(Device& device,
             Scratch& scratch,
             Rows<const float> cosines,
             Rows<float> diff_cosines,
             View<ContrastiveRecord> record,
             const ContrastiveConfig& config = {});
/// The same with all rows of a class as positives of each other. `classes` of the B pictures; one
/// with a negative class takes no part, so unlabelled pictures may stay in the batch. Without any
/// labelled picture loss and gradient are 0.
void sup_con(Device& device,
             Scratch& scratch,
             Rows<const float> cosines,
             View<const std::int32_t> classes,
             Rows<float> diff_cosines,
             View<ContrastiveRecord> record,
             const ContrastiveConfig& config = {});
/// Bytes of scratch memory that either takes for cosines of this many rows, 2B.
std::size_t contrastive_scratch_bytes(std::size_t rows);

}  // namespace opencd::kernels
