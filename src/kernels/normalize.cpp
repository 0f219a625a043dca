#include "kernels/normalize.hpp"

#include "kernels/check.hpp"
#include "kernels/device/normalize.hpp"
#include "kernels/launch.hpp"

namespace opencd::kernels {

void normalize_rows(
    Device& device, Rows<const float> src, Rows<float> dst, View<float> norms, float epsilon) {
  require_same_shape("normalize_rows", src, dst);
  require_equal("normalize_rows", "norms", src.rows, norms.size);
  launch_rows(device, src.rows, src.columns,
              NormalizeRows{src.data, dst.data, norms.data, to_int("normalize_rows", src.columns),
                            epsilon});
}

void normalize_rows_backward(Device& device,
                             Rows<const float> dst,
                             View<const float> norms,
                             Rows<const float> diff_dst,
                             Rows<float> diff_src,
                             float epsilon) {
  require_same_shape("normalize_rows_backward", dst, diff_dst);
  require_same_shape("normalize_rows_backward", dst, diff_src);
  require_equal("normalize_rows_backward", "norms", dst.rows, norms.size);
  launch_rows(device, dst.rows, dst.columns,
              NormalizeRowsBackward{dst.data, norms.data, diff_dst.data, diff_src.data,
                                    to_int("normalize_rows_backward", dst.columns), epsilon});
}

}  // namespace opencd::kernels
