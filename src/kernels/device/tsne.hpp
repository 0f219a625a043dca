// t-SNE (van der Maaten and Hinton, 2008). Rows i have neighbours j at squared distances d_ij and
// places y_i in the plane.
//   p(j|i) = exp(-beta_i d_ij) / sum_n exp(-beta_i d_in),  beta_i such that their entropy is
//            log(perplexity);    p_ij = (p(j|i) + p(i|j)) / 2N
//   w_ij   = 1 / (1 + |y_i - y_j|^2),  W = sum_i!=j w_ij,  q_ij = w_ij / W
//   dKL/dy_i = 4 (sum_j e p_ij w_ij (y_i - y_j) - sum_j w_ij^2 (y_i - y_j) / W),  e the exaggeration
// The first sum (attraction) runs over the entries of p, which is sparse, the second (repulsion)
// over all rows: it is the work. The map lies in two planes, all first coordinates, then all second
// ones, so that neighbours in memory are neighbours in a vector.
// All kernels assign. Sums run in an order that the number of rows determines; no atomics.
#pragma once

#include "kernels/device/row_loop.hpp"
#include "kernels/tsne_rates.hpp"

namespace opencd::kernels {

/// Squared distances of a row's neighbours become p(j|i), in place. One item a row.
struct ConditionalAffinities {
  static constexpr int kSteps = 100;
  static constexpr float kTolerance = 1e-5f;

  float* values;  // rows x k
  std::size_t rows;
  int k;
  float log_perplexity;

  void operator()(sycl::nd_item<1> item) const {
    const std::size_t row = element_of(item);
    if (row < rows) {
      float* x = values + row * k;
      float least = x[0];
      for (int n = 1; n < k; ++n) least = sycl::fmin(least, x[n]);
      float beta = 1.0f;
      float low = 0.0f;
      float high = kInfinity;
      float sum = 1.0f;
      for (int step = 0; step < kSteps; ++step) {
        sum = 0.0f;
        float weighted = 0.0f;
        for (int n = 0; n < k; ++n) {
          const float e = sycl::exp(-beta * (x[n] - least));
          sum += e;
          weighted += e * (x[n] - least);
        }
        const float excess = sycl::log(sum) + beta * weighted / sum - log_perplexity;
        if (sycl::fabs(excess) <= kTolerance || step == kSteps - 1) break;
        if (excess > 0.0f) {
          low = beta;
          beta = high == kInfinity ? 2.0f * beta : 0.5f * (beta + high);
        } else {
          high = beta;
          beta = 0.5f * (beta + low);
        }
      }
      for (int n = 0; n < k; ++n) x[n] = sycl::exp(-beta * (x[n] - least)) / sum;
    }
  }
};
OPENCD_KERNEL(ConditionalAffinities, 1)

/// pushes[i] = sum_j w_ij^2 (y_i - y_j), weights[i] = sum_j!=i w_ij. One work-group a row.
struct Repulsion {
  const float* map;  // 2 x rows
  float* pushes;     // 2 x rows
  float* weights;
  int rows;

  void operator()(sycl::nd_item<1> item) const {
    const std::size_t row = row_of(item);
    const float* first = map;
    const float* second = map + rows;
    const float at_first = first[row];
    const float at_second = second[row];
    float weight = 0.0f;
    float push_first = 0.0f;
    float push_second = 0.0f;
    const auto add = [&](int j) {
      const float a = at_first - first[j];
      const float b = at_second - second[j];
      const float w = 1.0f / (1.0f + a * a + b * b);
      weight += w;
      push_first += w * w * a;
      push_second += w * w * b;
    };
    // Left out, not taken off again: the weight 1 of the row itself would swallow small ones.
    const int self = static_cast<int>(row);
    for_each_column(item, self, add);
    for_each_column(item, rows - self - 1, [&](int n) { add(self + 1 + n); });
    weight = sum_over_group(item, weight);
    push_first = sum_over_group(item, push_first);
    push_second = sum_over_group(item, push_second);
    if (item.get_local_id(0) == 0) {
      weights[row] = weight;
      pushes[row] = push_first;
      pushes[rows + row] = push_second;
    }
  }
};
OPENCD_KERNEL(Repulsion, 1)

/// One step of gradient descent with momentum and gains: a gain grows while gradient and velocity
/// agree on the way, and shrinks where they do not. The entries of p of row i are starts[i] ..
/// starts[i + 1] - 1. Reads `map`, writes `moved`. One work-group a row.
struct TsneStep {
  const std::int32_t* starts;
  const std::int32_t* columns;
  const float* affinities;
  const float* map;
  const float* pushes;
  const float* weight;  // W
  float* velocity;      // 2 x rows
  float* gains;         // 2 x rows
  float* moved;         // 2 x rows
  int rows;
  TsneRates rates;

  void operator()(sycl::nd_item<1> item) const {
    const std::size_t row = row_of(item);
    const int start = starts[row];
    const float* first = map;
    const float* second = map + rows;
    const float at_first = first[row];
    const float at_second = second[row];
    float pull_first = 0.0f;
    float pull_second = 0.0f;
    for_each_column(item, starts[row + 1] - start, [&](int n) {
      const int j = columns[start + n];
      const float a = at_first - first[j];
      const float b = at_second - second[j];
      const float pull = affinities[start + n] / (1.0f + a * a + b * b);
      pull_first += pull * a;
      pull_second += pull * b;
    });
    pull_first = sum_over_group(item, pull_first);
    pull_second = sum_over_group(item, pull_second);
    if (item.get_local_id(0) == 0) {
      move_coordinate(row, pull_first);
      move_coordinate(rows + row, pull_second);
    }
  }

 private:
  static constexpr float kGrowth = 0.2f;
  static constexpr float kShrinkage = 0.8f;
  static constexpr float kLeastGain = 0.01f;

  /// Moves coordinate `at` of the two planes.
  void move_coordinate(std::size_t at, float pull) const {
    const float gradient = 4.0f * (rates.exaggeration * pull - pushes[at] / weight[0]);
    const bool agree = velocity[at] * gradient < 0.0f;  // the way is against the gradient
    const float gain = sycl::fmax(agree ? gains[at] + kGrowth : gains[at] * kShrinkage, kLeastGain);
    const float v = rates.momentum * velocity[at] - rates.learning_rate * gain * gradient;
    gains[at] = gain;
    velocity[at] = v;
    moved[at] = map[at] + v;
  }
};
OPENCD_KERNEL(TsneStep, 1)

}  // namespace opencd::kernels
