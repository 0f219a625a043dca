// Deep transfer clustering: rows z of two views belong to C centres m by Student's t,
//   u_j = 1 / (1 + |z - m_j|^2)      s_j = u_j / U,  U = sum_j u_j
// and are pulled to targets t, one row of them for every training row. Over the n unlabelled rows:
//   KL          = sum t_j log(t_j / s_j) / (n C)        of view 1
//   consistency = sum (s_j - s'_j)^2 / (n C)            between the views
//   total       = KL + weight consistency
// Gradients, with g_j the slope of the total by s_j:
//   slope by u_j:  h_j = (g_j - <g, s>) / U      pull_j = -2 u_j^2 h_j
//   dz = sum_j pull_j (z - m_j)                  dm_j = sum over rows and views of pull_j (m_j - z)
// Labelled rows take no part: their pulls are 0. All assign. Deterministic: no atomics.
#pragma once

#include "kernels/deep_cluster_record.hpp"
#include "kernels/device/row_functions.hpp"

namespace opencd::kernels {

/// One work-group a row: s and U.
struct StudentRows {
  const float* z;
  const float* centres;
  float* s;
  float* totals;
  int columns;
  int clusters;

  void operator()(sycl::nd_item<1> item) const {
    const float* x = z + row_of(item) * columns;
    float* out = s + row_of(item) * clusters;
    float total = 0.0f;
    for_each_column(item, clusters, [&](int j) {
      float squares = 0.0f;
      for (int d = 0; d < columns; ++d) {
        const float difference = x[d] - centres[j * columns + d];
        squares += difference * difference;
      }
      const float u = 1.0f / (1.0f + squares);
      total += u;
      out[j] = u;
    });
    total = sum_over_group(item, total);
    for_each_column(item, clusters, [&](int j) { out[j] /= total; });
    if (item.get_local_id(0) == 0) totals[row_of(item)] = total;
  }
};
OPENCD_KERNEL(StudentRows, 1)

/// What both kernels below know of one view.
struct StudentView {
  const float* s;
  const float* totals;
  float* pulls;
};

/// One work-group a row of the batch: its losses and the pulls of both views.
struct DeepClusterRows {
  StudentView view1;
  StudentView view2;
  const float* targets;             // of all training rows
  const std::int32_t* row_numbers;  // of the batch's rows among them
  const std::int32_t* labels;
  float* kl;           // of rows, as parts of the mean
  float* consistency;  // likewise
  int rows;
  int clusters;
  float weight;

  void operator()(sycl::nd_item<1> item) const {
    const std::size_t row = row_of(item);
    int unlabelled = 0;
    for_each_column(item, rows, [&](int i) { unlabelled += labels[i] < 0 ? 1 : 0; });
    const int n = sum_over_group(item, unlabelled);
    const bool counts = labels[row] < 0;
    const float entries = static_cast<float>(n) * static_cast<float>(clusters);
    const float share = counts ? 1.0f / entries : 0.0f;
    const float* t = targets + static_cast<std::size_t>(row_numbers[row]) * clusters;
    const float* s1 = view1.s + row * clusters;
    const float* s2 = view2.s + row * clusters;
    float divergence = 0.0f, squares = 0.0f, inner1 = 0.0f, inner2 = 0.0f;
    for_each_column(item, clusters, [&](int j) {
      const float difference = s1[j] - s2[j];
      divergence += t[j] > 0.0f ? t[j] * sycl::log(t[j] / s1[j]) : 0.0f;
      squares += difference * difference;
      inner1 += s1[j] * slope1(t[j], s1[j], difference);
      inner2 += s2[j] * slope2(difference);
    });
    divergence = sum_over_group(item, divergence);
    squares = sum_over_group(item, squares);
    inner1 = sum_over_group(item, inner1);
    inner2 = sum_over_group(item, inner2);
    const float total1 = view1.totals[row];
    const float total2 = view2.totals[row];
    for_each_column(item, clusters, [&](int j) {
      const float difference = s1[j] - s2[j];
      const std::size_t at = row * clusters + j;
      // -2 u^2 / U = -2 s^2 U
      view1.pulls[at] =
          share * -2.0f * s1[j] * s1[j] * total1 * (slope1(t[j], s1[j], difference) - inner1);
      view2.pulls[at] = share * -2.0f * s2[j] * s2[j] * total2 * (slope2(difference) - inner2);
    });
    if (item.get_local_id(0) == 0) {
      kl[row] = share * divergence;
      consistency[row] = share * squares;
    }
  }

  float slope1(float t, float s, float difference) const {
    return -t / s + 2.0f * weight * difference;
  }
  float slope2(float difference) const { return -2.0f * weight * difference; }
};
OPENCD_KERNEL(DeepClusterRows, 1)

/// One work-group in all.
struct DeepClusterSummary {
  const float* kl;
  const float* consistency;
  const std::int32_t* labels;
  DeepClusterRecord* record;
  int rows;

  void operator()(sycl::nd_item<1> item) const {
    float divergence = 0.0f, squares = 0.0f;
    std::int32_t unlabelled = 0;
    for_each_column(item, rows, [&](int i) {
      divergence += kl[i];
      squares += consistency[i];
      unlabelled += labels[i] < 0 ? 1 : 0;
    });
    divergence = sum_over_group(item, divergence);
    squares = sum_over_group(item, squares);
    unlabelled = sum_over_group(item, unlabelled);
    if (item.get_local_id(0) == 0) *record = {divergence, squares, unlabelled};
  }
};
OPENCD_KERNEL(DeepClusterSummary, 1)

/// One item an entry of z: dz of one view.
struct StudentRowGradient {
  const float* z;
  const float* centres;
  const float* pulls;
  float* diff;
  std::size_t count;
  int columns;
  int clusters;

  void operator()(sycl::nd_item<1> item) const {
    const std::size_t i = element_of(item);
    if (i < count) {
      const std::size_t row = i / columns;
      const auto d = static_cast<int>(i % columns);
      float sum = 0.0f;
      for (int j = 0; j < clusters; ++j)
        sum += pulls[row * clusters + j] * (z[i] - centres[j * columns + d]);
      diff[i] = sum;
    }
  }
};
OPENCD_KERNEL(StudentRowGradient, 1)

/// One item an entry of the centres: dm over the rows of both views, in their order.
struct StudentCentreGradient {
  const float* z1;
  const float* z2;
  const float* pulls1;
  const float* pulls2;
  const float* centres;
  float* diff;
  int rows;
  int columns;
  int clusters;

  void operator()(sycl::nd_item<1> item) const {
    const auto i = static_cast<int>(element_of(item));
    if (i < clusters * columns) {
      const int j = i / columns;
      const int d = i % columns;
      float sum = 0.0f;
      for (int row = 0; row < rows; ++row) {
        const std::size_t pull = static_cast<std::size_t>(row) * clusters + j;
        const std::size_t at = static_cast<std::size_t>(row) * columns + d;
        sum += pulls1[pull] * (centres[i] - z1[at]) + pulls2[pull] * (centres[i] - z2[at]);
      }
      diff[i] = sum;
    }
  }
};
OPENCD_KERNEL(StudentCentreGradient, 1)

}  // namespace opencd::kernels
