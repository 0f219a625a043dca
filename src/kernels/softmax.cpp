#include "kernels/softmax.hpp"

#include "kernels/check.hpp"
#include "kernels/device/softmax.hpp"
#include "kernels/launch.hpp"

namespace opencd::kernels {

namespace {
float inverse_of(float temperature) {
  if (!(temperature > 0.0f))
    fail<ShapeError>("[softmax_rows] expected a temperature above 0, got {}", temperature);
  return 1.0f / temperature;
}
}  // namespace

void softmax_rows(Device& device, Rows<const float> src, Rows<float> dst, float temperature) {
  require_same_shape("softmax_rows", src, dst);
  launch_rows(device, src.rows, src.columns,
              SoftmaxRows{src.data, dst.data, to_int("softmax_rows", src.columns),
                          inverse_of(temperature)});
}

void softmax_rows_backward(Device& device,
                           Rows<const float> dst,
                           Rows<const float> diff_dst,
                           Rows<float> diff_src,
                           float temperature) {
  require_same_shape("softmax_rows_backward", dst, diff_dst);
  require_same_shape("softmax_rows_backward", dst, diff_src);
  launch_rows(
      device, dst.rows, dst.columns,
      SoftmaxRowsBackward{dst.data, diff_dst.data, diff_src.data,
                          to_int("softmax_rows_backward", dst.columns), inverse_of(temperature)});
}

}  // namespace opencd::kernels
