// Batch norm of a matrix with a column for each channel, with ReLU on top if asked for. With scale s =
// w / sqrt(var + eps) and shift b - mean s of the batch's own moments,
//   forward   y  = s x + shift, or 0 where ReLU cuts; NaN stays NaN
//   backward  g  = dy, or 0 where ReLU cut, which x tells: no mask is kept
//             db = sum g,  dw = sum g (x - mean) / sqrt(var + eps)
//             dx = s g + slope x + offset,  slope = -s dw / (sqrt(var + eps) n),
//                                           offset = -s db / n - slope mean
// One item an element, or a column and slice of rows; as many as there are, so none is guarded. All
// assign.
#pragma once

#include "kernels/device/column_loop.hpp"

namespace opencd::kernels {

struct BatchNormForward {
  const float* src;
  const float* scale;
  const float* shift;
  float* dst;   // may be src
  float least;  // 0 with ReLU, else minus infinity

  void operator()(sycl::nd_item<2> item) const {
    const std::size_t c = item.get_global_id(1);
    const std::size_t i = item.get_global_id(0) * item.get_global_range(1) + c;
    const float value = scale[c] * src[i] + shift[c];
    dst[i] = value < least ? least : value;
  }
};
OPENCD_KERNEL(BatchNormForward, 2)

struct BatchNormDiffSlices {
  const float* src;
  const float* diff_dst;
  const float* mean;
  const float* scale;
  const float* shift;
  float* partial;  // slices x (gradients, gradients times distance from the mean) x columns
  std::size_t rows;
  std::size_t rows_a_slice;
  float least;  // what y must pass to let its gradient through

  void operator()(sycl::nd_item<2> item) const {
    const std::size_t columns = item.get_global_range(1);
    const std::size_t c = item.get_global_id(1);
    const float factor = scale[c], term = shift[c], centre = mean[c], bound = least;
    float sum[kChains] = {}, product[kChains] = {};
    for_each_in_slice(item, rows, rows_a_slice, [&](std::size_t row, int chain) OPENCD_INLINE {
      const std::size_t i = row * columns + c;
      const float x = src[i];
      const float gradient = factor * x + term > bound ? diff_dst[i] : 0.0f;
      sum[chain] += gradient;
      product[chain] += gradient * (x - centre);
    });
    float* dst = partial + 2 * item.get_global_id(0) * columns + c;
    dst[0] = sum_of_chains(sum);
    dst[columns] = sum_of_chains(product);
  }
};
OPENCD_KERNEL(BatchNormDiffSlices, 2)

/// One item a column.
struct BatchNormDiffCombine {
  const float* partial;
  const float* mean;
  const float* var;
  const float* scale;
  float* diff_weight;
  float* diff_bias;
  float* slope;
  float* offset;
  int slices;
  float rows;
  float epsilon;

  void operator()(sycl::nd_item<1> item) const {
    const std::size_t columns = item.get_global_range(0);
    const std::size_t c = item.get_global_id(0);
    float sum = 0.0f, product = 0.0f;
    for (int s = 0; s < slices; ++s) {
      const float* slice = partial + 2 * static_cast<std::size_t>(s) * columns + c;
      sum += slice[0];
      product += slice[columns];
    }
    const float deviation = sycl::sqrt(var[c] + epsilon);
    const float gradient = product / deviation;
    diff_bias[c] = sum;
    diff_weight[c] = gradient;
    const float steepness = -scale[c] * gradient / (deviation * rows);
    slope[c] = steepness;
    offset[c] = -scale[c] * sum / rows - steepness * mean[c];
  }
};
OPENCD_KERNEL(BatchNormDiffCombine, 1)

struct BatchNormBackward {
  const float* src;
  const float* diff_dst;
  const float* scale;
  const float* shift;
  const float* slope;
  const float* offset;
  float* diff_src;  // may be diff_dst
  float least;

  void operator()(sycl::nd_item<2> item) const {
    const std::size_t c = item.get_global_id(1);
    const std::size_t i = item.get_global_id(0) * item.get_global_range(1) + c;
    const float x = src[i];
    const float gradient = scale[c] * x + shift[c] > least ? diff_dst[i] : 0.0f;
    diff_src[i] = scale[c] * gradient + slope[c] * x + offset[c];
  }
};
OPENCD_KERNEL(BatchNormBackward, 2)

}  // namespace opencd::kernels
