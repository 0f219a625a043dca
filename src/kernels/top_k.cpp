#include "kernels/top_k.hpp"

#include "kernels/check.hpp"
#include "kernels/device/top_k.hpp"
#include "kernels/launch.hpp"

namespace opencd::kernels {

void argmax_rows(Device& device, Rows<const float> src, View<std::int32_t> indices) {
  top_k_rows(device, src, {indices.data, indices.size, 1});
}

void top_k_rows(Device& device,
                Rows<const float> src,
                Rows<std::int32_t> indices,
                Rows<float> values) {
  require_equal("top_k_rows", "rows of indices", src.rows, indices.rows);
  if (values.data != nullptr) require_same_shape("top_k_rows", indices, values);
  const std::size_t k = indices.columns;
  if (k < 1 || k > kMaxTopK || k > src.columns)
    fail<ShapeError>("[top_k_rows] expected k from 1 to {} and at most the {} columns, got {}",
                     kMaxTopK, src.columns, k);
  launch_rows(device, src.rows, src.columns,
              TopKRows{src.data, indices.data, values.data, to_int("top_k_rows", src.columns),
                       static_cast<int>(k)});
}

}  // namespace opencd::kernels
