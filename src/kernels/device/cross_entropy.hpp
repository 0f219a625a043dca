// Cross-entropy of rows of scores x against classes y, with a margin that the true class is given
// before: l_c = scale (x_c + [c = y] margin). n rows count: those with a label and those with
// kCountedWithoutTarget.
//   loss  = (1 / n) sum over labelled rows of  log sum_c exp(l_c) - l_y
//   dx_c  = weight scale (softmax(l)_c - [c = y]) / n   for labelled rows, else 0
// Adds to dx. Also what FixMatch trains against: the class that a row is surely of.
// Deterministic: fixed blocks, group reductions, no atomics.
#pragma once

#include "kernels/cross_entropy_record.hpp"
#include "kernels/device/row_functions.hpp"

namespace opencd::kernels {

inline bool counts(std::int32_t label) { return label >= 0 || label == kCountedWithoutTarget; }

/// One work-group a row. A label outside the classes makes the loss NaN.
struct CrossEntropyRows {
  const float* src;
  const std::int32_t* labels;
  float* diff;
  float* losses;
  int rows;
  int classes;
  float scale;
  float margin;
  float weight;

  void operator()(sycl::nd_item<1> item) const {
    const std::size_t row = row_of(item);
    const float* x = src + row * classes;
    float* dx = diff + row * classes;
    const std::int32_t label = labels[row];
    int counted = 0;
    for_each_column(item, rows, [&](int i) { counted += counts(labels[i]) ? 1 : 0; });
    const float n = static_cast<float>(sum_over_group(item, counted));
    float largest = -kInfinity;
    for_each_column(item, classes, [&](int c) {
      largest = sycl::fmax(largest, x[c] + (c == label ? margin : 0.0f));
    });
    largest = max_over_group(item, largest);
    float total = 0.0f, own = 0.0f;
    for_each_column(item, classes, [&](int c) {
      const float l = scale * (x[c] + (c == label ? margin : 0.0f) - largest);
      total += sycl::exp(l);
      own += c == label ? l : 0.0f;
    });
    total = sum_over_group(item, total);
    own = sum_over_group(item, own);
    if (label >= 0) {
      const float share = weight * scale / n;
      for_each_column(item, classes, [&](int c) {
        const float l = scale * (x[c] + (c == label ? margin : 0.0f) - largest);
        dx[c] += share * (sycl::exp(l) / total - (c == label ? 1.0f : 0.0f));
      });
    }
    if (item.get_local_id(0) == 0) {
      const float loss =
          label < classes ? sycl::log(total) - own : std::numeric_limits<float>::quiet_NaN();
      losses[row] = label >= 0 ? loss : 0.0f;
    }
  }
};
OPENCD_KERNEL(CrossEntropyRows, 1)

/// One work-group in all.
struct CrossEntropyMean {
  const float* losses;
  const std::int32_t* labels;
  CrossEntropyRecord* record;
  int rows;

  void operator()(sycl::nd_item<1> item) const {
    float sum = 0.0f;
    std::int32_t counted = 0, targets = 0;
    for_each_column(item, rows, [&](int i) {
      sum += losses[i];
      counted += counts(labels[i]) ? 1 : 0;
      targets += labels[i] >= 0 ? 1 : 0;
    });
    sum = sum_over_group(item, sum);
    counted = sum_over_group(item, counted);
    targets = sum_over_group(item, targets);
    if (item.get_local_id(0) == 0)
      *record = {sum / static_cast<float>(sycl::max(counted, 1)), counted, targets};
  }
};
OPENCD_KERNEL(CrossEntropyMean, 1)

/// One work-group a row: the class of the largest score where its softmax reaches the threshold, else
/// kCountedWithoutTarget; -1 for labelled rows.
struct PseudoLabelRows {
  const float* src;
  const std::int32_t* labels;
  std::int32_t* pseudo;
  int classes;
  float threshold;

  void operator()(sycl::nd_item<1> item) const {
    const std::size_t row = row_of(item);
    const float* x = src + row * classes;
    float largest = -kInfinity;
    for_each_column(item, classes, [&](int c) { largest = sycl::fmax(largest, x[c]); });
    largest = max_over_group(item, largest);
    float total = 0.0f;
    int best = classes;
    for_each_column(item, classes, [&](int c) {
      total += sycl::exp(x[c] - largest);
      best = x[c] == largest ? sycl::min(best, c) : best;
    });
    total = sum_over_group(item, total);
    best = min_over_group(item, best);
    const bool sure = 1.0f / total >= threshold;
    if (item.get_local_id(0) == 0)
      pseudo[row] = labels[row] >= 0 ? -1 : (sure ? best : kCountedWithoutTarget);
  }
};
OPENCD_KERNEL(PseudoLabelRows, 1)

}  // namespace opencd::kernels
