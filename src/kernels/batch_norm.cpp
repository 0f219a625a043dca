#include "kernels/batch_norm.hpp"

#include "kernels/check.hpp"
#include "kernels/column_lanes.hpp"
#include "kernels/device/batch_norm.hpp"
#include "kernels/launch.hpp"
#include "kernels/row_slices.hpp"

namespace opencd::kernels {

namespace {

/// The norm as y = scale x + shift, in scratch memory.
struct Affine {
  View<float> scale;
  View<float> shift;

  Affine(Device& device, Scratch& scratch, const BatchNormOptions& options, const FixedNorm& norm)
      : scale(scratch.take<float>(norm.weight.size)), shift(scratch.take<float>(norm.weight.size)) {
    fold_batch_norm(device, norm, scale, shift, options.epsilon);
  }
};

float least_output(const BatchNormOptions& options) { return options.relu ? 0.0f : -kInfinity; }

/// One item an element; work-groups take whole rows where they can.
sycl::nd_range<2> elements(const Device& device, Rows<const float> matrix) {
  const std::size_t lanes = column_lanes(device, matrix.columns);
  const std::size_t most =
      std::max<std::size_t>(1, static_cast<std::size_t>(device.element_group_size()) / lanes);
  return {{matrix.rows, matrix.columns}, {largest_divisor(matrix.rows, most), lanes}};
}

void require_same_shape(const char* operation, Rows<const float> left, Rows<const float> right) {
  require_equal(operation, "rows", left.rows, right.rows);
  require_equal(operation, "columns", left.columns, right.columns);
}

}  // namespace

void batch_norm_forward(Device& device,
                        Scratch& scratch,
                        const BatchNormOptions& options,
                        const FixedNorm& norm,
                        Rows<const float> src,
                        Rows<float> dst) {
  require_same_shape("batch_norm_forward", src, dst);
  require_equal("batch_norm_forward", "channels", src.columns, norm.weight.size);
  if (src.size() == 0) return;
  const Scratch::Frame frame(scratch);
  const Affine affine(device, scratch, options, norm);
  launch(device, elements(device, src),
         BatchNormForward{src.data, affine.scale.data, affine.shift.data, dst.data,
                          least_output(options)});
}

void batch_norm_backward(Device& device,
                         Scratch& scratch,
                         const BatchNormOptions& options,
                         const FixedNorm& norm,
                         Rows<const float> src,
                         Rows<const float> diff_dst,
                         const BatchNormGradients& gradients) {
  require_same_shape("batch_norm_backward", src, diff_dst);
  require_same_shape("batch_norm_backward", src, gradients.diff_src);
  for (const std::size_t size :
       {norm.weight.size, gradients.diff_weight.size, gradients.diff_bias.size})
    require_equal("batch_norm_backward", "channels", src.columns, size);
  if (src.size() == 0) return;
  const Scratch::Frame frame(scratch);
  const Affine affine(device, scratch, options, norm);
  const RowSlices slices(src.rows);
  const View<float> partial = scratch.take<float>(2 * slices.count * src.columns);
  const View<float> slope = scratch.take<float>(src.columns);
  const View<float> offset = scratch.take<float>(src.columns);
  const std::size_t lanes = column_lanes(device, src.columns);
  const float least = least_output(options);
  launch(device, sycl::nd_range<2>({slices.count, src.columns}, {1, lanes}),
         BatchNormDiffSlices{src.data, diff_dst.data, norm.mean.data, affine.scale.data,
                             affine.shift.data, partial.data, src.rows, slices.rows_each, least});
  launch(device, sycl::nd_range<1>(src.columns, lanes),
         BatchNormDiffCombine{partial.data, norm.mean.data, norm.var.data, affine.scale.data,
                              gradients.diff_weight.data, gradients.diff_bias.data, slope.data,
                              offset.data, static_cast<int>(slices.count),
                              static_cast<float>(src.rows), options.epsilon});
  launch(device, elements(device, src),
         BatchNormBackward{src.data, diff_dst.data, affine.scale.data, affine.shift.data,
                           slope.data, offset.data, gradients.diff_src.data, least});
}

std::size_t batch_norm_scratch_bytes(std::size_t rows, std::size_t columns) {
  return 4 * Scratch::aligned(columns * sizeof(float)) +
         Scratch::aligned(2 * RowSlices(rows).count * columns * sizeof(float));
}

}  // namespace opencd::kernels
