#include "kernels/top_k.hpp"

#include "kernels/check.hpp"
#include "kernels/column_lanes.hpp"
#include "kernels/device/top_k.hpp"
#include "kernels/launch.hpp"

namespace opencd::kernels {

namespace {

/// The kernel with the shortest list that holds k entries.
void launch_top_of_rows(Device& device, const TopKArguments& arguments) {
  const auto group = static_cast<std::size_t>(device.branching_group_size());
  const auto start = [&](const auto& kernel) {
    launch(device, sycl::nd_range<1>(round_up(arguments.rows, group), group), kernel);
  };
  if (arguments.k == 1) return start(TopOneOfRow{{arguments}});
  if (arguments.k <= 3) return start(TopThreeOfRow{{arguments}});
  if (arguments.k <= 5) return start(TopFiveOfRow{{arguments}});
  if (arguments.k <= 10) return start(TopTenOfRow{{arguments}});
  start(TopSixteenOfRow{{arguments}});
}

void require_k(const char* operation, std::size_t k, std::size_t entries) {
  if (k < 1 || k > kMaxTopK || k > entries)
    fail<ShapeError>("[{}] expected k from 1 to {} and at most the {} entries, got {}", operation,
                     kMaxTopK, entries, k);
}

}  // namespace

void argmax_rows(Device& device, Rows<const float> src, View<std::int32_t> indices) {
  top_k_rows(device, src, {indices.data, indices.size, 1});
}

void top_k_rows(Device& device,
                Rows<const float> src,
                Rows<std::int32_t> indices,
                Rows<float> values,
                RowReader reader) {
  require_equal("top_k_rows", "rows of indices", src.rows, indices.rows);
  if (values.data != nullptr) require_same_shape("top_k_rows", indices, values);
  const std::size_t k = indices.columns;
  require_k("top_k_rows", k, src.columns);
  const TopKArguments arguments{
      src.data,           indices.data, values.data, src.rows, to_int("top_k_rows", src.columns),
      static_cast<int>(k)};
  if (reader == RowReader::automatic)
    reader = device.item_takes_row(src.columns) ? RowReader::item : RowReader::group;
  if (reader == RowReader::item)
    launch_top_of_rows(device, arguments);
  else
    launch_rows(device, src.rows, src.columns, TopKRows{arguments});
}

void top_k_columns(Device& device, Rows<const float> src, Rows<std::int32_t> indices) {
  require_equal("top_k_columns", "rows of indices", src.columns, indices.rows);
  const std::size_t k = indices.columns;
  require_k("top_k_columns", k, src.rows);
  if (src.columns == 0) return;
  const auto start = [&](auto kernel) {
    kernel.src = src.data;
    kernel.indices = indices.data;
    kernel.rows = to_int("top_k_columns", src.rows);
    kernel.columns = src.columns;
    kernel.k = static_cast<int>(k);
    launch(device, sycl::nd_range<1>(src.columns, column_lanes(device, src.columns)), kernel);
  };
  if (k <= 3) return start(TopThreeOfColumn{});
  if (k <= 10) return start(TopTenOfColumn{});
  start(TopSixteenOfColumn{});
}

}  // namespace opencd::kernels
