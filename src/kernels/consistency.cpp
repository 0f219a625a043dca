#include "kernels/consistency.hpp"

#include "kernels/check.hpp"
#include "kernels/device/consistency.hpp"
#include "kernels/launch.hpp"

namespace opencd::kernels {

void mean_squared_difference(Device& device,
                             Scratch& scratch,
                             Rows<const float> a,
                             Rows<const float> b,
                             Rows<float> diff_a,
                             Rows<float> diff_b,
                             View<float> loss,
                             float weight) {
  constexpr const char* kName = "mean_squared_difference";
  require_same_shape(kName, a, b);
  require_same_shape(kName, a, diff_a);
  require_same_shape(kName, a, diff_b);
  require_equal(kName, "losses", 1, loss.size);
  if (a.size() == 0) fail<ShapeError>("[{}] expected at least one entry, got none", kName);
  const Scratch::Frame frame(scratch);
  const View<float> parts = scratch.take<float>(a.rows);
  launch_rows(
      device, a.rows, a.columns,
      ConsistencyRows{a.data, b.data, diff_a.data, diff_b.data, parts.data,
                      to_int(kName, a.columns), 1.0f / static_cast<float>(a.size()), weight});
  launch_rows(device, 1, a.rows, SumOfEntries{parts.data, loss.data, to_int(kName, a.rows)});
}

std::size_t mean_squared_difference_scratch_bytes(std::size_t rows) {
  return Scratch::aligned(rows * sizeof(float));
}

}  // namespace opencd::kernels
