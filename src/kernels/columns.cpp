#include "kernels/columns.hpp"

#include "kernels/check.hpp"
#include "kernels/column_lanes.hpp"
#include "kernels/device/columns.hpp"
#include "kernels/launch.hpp"
#include "kernels/row_slices.hpp"

namespace opencd::kernels {

namespace {

void column_reduce(Device& device,
                   Scratch& scratch,
                   const char* name,
                   Rows<const float> src,
                   View<float> dst,
                   float factor,
                   View<const float> weights = {}) {
  require_equal(name, "columns of dst", src.columns, dst.size);
  if (dst.size == 0) return;
  const Scratch::Frame frame(scratch);
  const RowSlices slices(src.rows);
  const Rows<float> partial = scratch.take_rows<float>(slices.count, src.columns);
  const int columns = to_int(name, src.columns);
  const auto lanes = static_cast<std::size_t>(device.row_group_size(src.columns));
  launch(device, sycl::nd_range<2>({slices.count, round_up(src.columns, lanes)}, {1, lanes}),
         ColumnSlices{src.data, weights.data, partial.data, src.rows, slices.rows_each, columns});
  launch_elements(
      device, dst.size,
      ColumnCombine{partial.data, dst.data, static_cast<int>(slices.count), columns, factor});
}

}  // namespace

void column_sum(Device& device, Scratch& scratch, Rows<const float> src, View<float> dst) {
  column_reduce(device, scratch, "column_sum", src, dst, 1.0f);
}

void column_mean(Device& device, Scratch& scratch, Rows<const float> src, View<float> dst) {
  if (src.rows == 0) fail<ShapeError>("[column_mean] expected at least one row, got none");
  column_reduce(device, scratch, "column_mean", src, dst, 1.0f / static_cast<float>(src.rows));
}

void weighted_column_mean(Device& device,
                          Scratch& scratch,
                          Rows<const float> src,
                          View<const float> weights,
                          View<float> dst) {
  constexpr const char* kName = "weighted_column_mean";
  require_equal(kName, "weights", src.rows, weights.size);
  if (src.rows == 0) fail<ShapeError>("[{}] expected at least one row, got none", kName);
  column_reduce(device, scratch, kName, src, dst, 1.0f / static_cast<float>(src.rows), weights);
}

void column_moments(
    Device& device, Scratch& scratch, Rows<const float> src, View<float> mean, View<float> var) {
  require_equal("column_moments", "columns of mean", src.columns, mean.size);
  require_equal("column_moments", "columns of var", src.columns, var.size);
  if (src.rows == 0) fail<ShapeError>("[column_moments] expected at least one row, got none");
  if (mean.size == 0) return;
  const Scratch::Frame frame(scratch);
  const RowSlices slices(src.rows);
  const Rows<float> partial = scratch.take_rows<float>(2 * slices.count, src.columns);
  const std::size_t lanes = column_lanes(device, src.columns);
  launch(device, sycl::nd_range<2>({slices.count, src.columns}, {1, lanes}),
         ColumnMomentSlices{src.data, partial.data, src.rows, slices.rows_each});
  launch(device, sycl::nd_range<1>(src.columns, lanes),
         ColumnMomentCombine{partial.data, mean.data, var.data, static_cast<int>(slices.count),
                             static_cast<float>(slices.rows_each), static_cast<float>(src.rows)});
}

std::size_t column_moments_scratch_bytes(std::size_t rows, std::size_t columns) {
  return Scratch::aligned(2 * RowSlices(rows).count * columns * sizeof(float));
}

std::size_t column_scratch_bytes(std::size_t rows, std::size_t columns) {
  return Scratch::aligned(RowSlices(rows).count * columns * sizeof(float));
}

}  // namespace opencd::kernels
