// The losses of DS3L (device/safe_weights.hpp has the formulas): consistency of unlabelled rows with a
// weight for each, and how the weights should change so that labelled rows gain.
#pragma once

#include "kernels/safe_weights_record.hpp"
#include "kernels/scratch.hpp"

namespace opencd::kernels {

/// A batch of B rows.
struct SafeBatch {
  Rows<const float> p1;             // probabilities of view 1, constants here
  Rows<const float> p2;             // of view 2
  View<const float> weight_logits;  // B: the weights before the sigmoid
  View<const std::int32_t> labels;  // rows with a label take no part
};

/// The weighted mean to record[0]; `factor` times its gradient by the logits of view 2 to diff2; the
/// gradient of every row's own term to `slope` (both assigned).
void safe_consistency(Device& device,
                      Scratch& scratch,
                      const SafeBatch& batch,
                      Rows<float> slope,
                      Rows<float> diff2,
                      View<SafeWeightsRecord> record,
                      float factor);

/// The gradient of the outer loss by the logits of the weights (assigned). `outer` are the features of
/// view 2 times the outer gradient of the last layer's weights, `outer_bias` that of its bias; `factor`
/// is the rate of the virtual step times that of safe_consistency.
void safe_weight_gradient(Device& device,
                          Scratch& scratch,
                          const SafeBatch& batch,
                          Rows<const float> slope,
                          Rows<const float> outer,
                          View<const float> outer_bias,
                          View<const SafeWeightsRecord> record,
                          View<float> diff_weight_logits,
                          float factor);

/// Bytes of scratch memory that either takes for this many rows.
std::size_t safe_weights_scratch_bytes(std::size_t rows);

}  // namespace opencd::kernels
