#include "kernels/columns.hpp"

#include "kernels/check.hpp"
#include "kernels/device/columns.hpp"
#include "kernels/launch.hpp"

#include <algorithm>

namespace opencd::kernels {

namespace {

constexpr std::size_t kRowsASlice = 128;
constexpr std::size_t kMostSlices = 512;

struct Slices {
  std::size_t rows_each;
  std::size_t count;
};

/// Depends on the shape alone, so that sums are the same on every run and device.
Slices slices_of(std::size_t rows) {
  const std::size_t each = std::max(kRowsASlice, (rows + kMostSlices - 1) / kMostSlices);
  return {each, std::max<std::size_t>(1, (rows + each - 1) / each)};
}

void column_reduce(Device& device,
                   Scratch& scratch,
                   const char* name,
                   Rows<const float> src,
                   View<float> dst,
                   float factor) {
  require_equal(name, "columns of dst", src.columns, dst.size);
  if (dst.size == 0) return;
  const Scratch::Frame frame(scratch);
  const Slices slices = slices_of(src.rows);
  const Rows<float> partial = scratch.take_rows<float>(slices.count, src.columns);
  const int columns = to_int(name, src.columns);
  const auto lanes = static_cast<std::size_t>(device.row_group_size(src.columns));
  launch(device, sycl::nd_range<2>({slices.count, round_up(src.columns, lanes)}, {1, lanes}),
         ColumnSlices{src.data, partial.data, src.rows, slices.rows_each, columns});
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

std::size_t column_scratch_bytes(std::size_t rows, std::size_t columns) {
  return Scratch::aligned(slices_of(rows).count * columns * sizeof(float));
}

}  // namespace opencd::kernels
