// DS3L: the consistency of unlabelled rows, each with a weight w_j = sigmoid(l_j) that a network says.
//   u_j  = mean over classes of (p'_j - p_j)^2          p of view 1 is a constant, p' is of view 2
//   mean = sum w_j u_j / sum w_j
//   slope_j = gradient of u_j by the logits of view 2, through its softmax
// What the weights are learned from: the loss of labelled rows after a virtual step of the last layer
// against the gradient of the weighted mean. With a_j the inner product of the two rows' gradients
// (of the labelled loss after the step, and of u_j),
//   d outer / d w_j = -rate r (a_j - mean a) / sum w       d l_j = w_j (1 - w_j) d w_j
// All assign, labelled rows 0. Deterministic: fixed blocks, group reductions, no atomics.
#pragma once

#include "kernels/device/row_functions.hpp"
#include "kernels/safe_weights_record.hpp"

namespace opencd::kernels {

inline float sigmoid(float x) { return 1.0f / (1.0f + sycl::exp(-x)); }

/// One work-group a row: u and its slope.
struct SafeRows {
  const float* p1;
  const float* p2;
  const std::int32_t* labels;
  float* u;
  float* slope;
  int classes;

  void operator()(sycl::nd_item<1> item) const {
    const std::size_t row = row_of(item);
    const float* p = p2 + row * classes;
    float* dx = slope + row * classes;
    const float inv = labels[row] < 0 ? 1.0f / static_cast<float>(classes) : 0.0f;
    float sum = 0.0f;
    for_each_column(item, classes, [&](int c) {
      const float difference = p[c] - p1[row * classes + c];
      sum += difference * difference;
      dx[c] = 2.0f * inv * difference;
    });
    sum = sum_over_group(item, sum);
    softmax_backward(item, p, dx, dx, classes, 1.0f);
    if (item.get_local_id(0) == 0) u[row] = inv * sum;
  }
};
OPENCD_KERNEL(SafeRows, 1)

/// One work-group in all.
struct SafeSummary {
  const float* u;
  const float* weight_logits;
  const std::int32_t* labels;
  SafeWeightsRecord* record;
  int rows;

  void operator()(sycl::nd_item<1> item) const {
    float weights = 0.0f, weighted = 0.0f;
    std::int32_t unlabelled = 0;
    for_each_column(item, rows, [&](int i) {
      const float w = labels[i] < 0 ? sigmoid(weight_logits[i]) : 0.0f;
      weights += w;
      weighted += w * u[i];
      unlabelled += labels[i] < 0 ? 1 : 0;
    });
    weights = sum_over_group(item, weights);
    weighted = sum_over_group(item, weighted);
    unlabelled = sum_over_group(item, unlabelled);
    if (item.get_local_id(0) == 0)
      *record = {weights > 0.0f ? weighted / weights : 0.0f, weights,
                 weights / static_cast<float>(sycl::max(unlabelled, 1)), unlabelled};
  }
};
OPENCD_KERNEL(SafeSummary, 1)

/// One work-group a row: the gradient of factor times the weighted mean by the logits of view 2.
struct SafeGradient {
  const float* slope;
  const float* weight_logits;
  const std::int32_t* labels;
  const SafeWeightsRecord* record;
  float* diff;
  int classes;
  float factor;

  void operator()(sycl::nd_item<1> item) const {
    const std::size_t row = row_of(item);
    const bool counts = labels[row] < 0 && record->weight_sum > 0.0f;
    const float share = counts ? factor * sigmoid(weight_logits[row]) / record->weight_sum : 0.0f;
    for_each_column(item, classes,
                    [&](int c) { diff[row * classes + c] = share * slope[row * classes + c]; });
  }
};
OPENCD_KERNEL(SafeGradient, 1)

/// One work-group a row: a_j from what the outer gradient makes of the row's features, without and with
/// the bias.
struct SafeAgreement {
  const float* slope;
  const float* outer;       // rows x classes: features times the gradient of the weights
  const float* outer_bias;  // classes
  float* agreement;
  int classes;

  void operator()(sycl::nd_item<1> item) const {
    const std::size_t start = row_of(item) * classes;
    float sum = 0.0f;
    for_each_column(item, classes,
                    [&](int c) { sum += slope[start + c] * (outer[start + c] + outer_bias[c]); });
    sum = sum_over_group(item, sum);
    if (item.get_local_id(0) == 0) agreement[row_of(item)] = sum;
  }
};
OPENCD_KERNEL(SafeAgreement, 1)

/// One work-group in all.
struct SafeWeightGradient {
  const float* agreement;
  const float* weight_logits;
  const std::int32_t* labels;
  const SafeWeightsRecord* record;
  float* diff;
  int rows;
  float factor;  // rate times r

  void operator()(sycl::nd_item<1> item) const {
    float weighted = 0.0f;
    for_each_column(item, rows, [&](int i) {
      weighted += labels[i] < 0 ? sigmoid(weight_logits[i]) * agreement[i] : 0.0f;
    });
    const float sum = at_least(record->weight_sum, 1e-30f);
    const float mean = sum_over_group(item, weighted) / sum;
    for_each_column(item, rows, [&](int i) {
      const float w = sigmoid(weight_logits[i]);
      diff[i] = labels[i] < 0 ? -factor * (agreement[i] - mean) / sum * w * (1.0f - w) : 0.0f;
    });
  }
};
OPENCD_KERNEL(SafeWeightGradient, 1)

}  // namespace opencd::kernels
