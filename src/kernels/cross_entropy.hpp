// Cross-entropy of scores against classes, value and gradient in one call, and the pseudo-labels of
// FixMatch, which are such classes.
#pragma once

#include "kernels/cross_entropy_record.hpp"
#include "kernels/scratch.hpp"

namespace opencd::kernels {

struct CrossEntropyConfig {
  float scale = 1.0f;   // logits are scale times scores
  float margin = 0.0f;  // added to the score of the true class first
  float weight = 1.0f;  // of the gradient; the recorded loss is without it
};

/// The mean loss over the rows that count (cross_entropy_record.hpp) to record[0]; its gradient with
/// respect to `src` is added to `diff`. Without any labelled row loss and gradient are 0.
void cross_entropy(Device& device,
                   Scratch& scratch,
                   Rows<const float> src,
                   View<const std::int32_t> labels,
                   Rows<float> diff,
                   View<CrossEntropyRecord> record,
                   const CrossEntropyConfig& config = {});
/// Bytes of scratch memory that cross_entropy takes for this many rows.
std::size_t cross_entropy_scratch_bytes(std::size_t rows);

/// For unlabelled rows the class of the largest logit where its probability reaches `threshold`, else
/// kCountedWithoutTarget; -1 for labelled rows.
void pseudo_labels(Device& device,
                   Rows<const float> logits,
                   View<const std::int32_t> labels,
                   View<std::int32_t> pseudo,
                   float threshold);

}  // namespace opencd::kernels
