#include "kernels/batch_statistics.hpp"

#include "kernels/check.hpp"
#include "kernels/device/batch_statistics.hpp"
#include "kernels/launch.hpp"

namespace opencd::kernels {

void update_running_statistics(Device& device,
                               const BatchMoments& batch,
                               const RunningMoments& running,
                               float momentum) {
  const std::size_t count = running.mean.size;
  for (const std::size_t size :
       {batch.mean.size, batch.var.size, batch.unbias.size, running.var.size})
    require_equal("update_running_statistics", "channels", count, size);
  launch_elements(device, count,
                  UpdateRunningStatistics{batch.mean.data, batch.var.data, batch.unbias.data,
                                          running.mean.data, running.var.data, count, momentum});
}

void fold_batch_norm(
    Device& device, const FixedNorm& norm, View<float> scale, View<float> shift, float epsilon) {
  const std::size_t count = scale.size;
  for (const std::size_t size :
       {norm.weight.size, norm.bias.size, norm.mean.size, norm.var.size, shift.size})
    require_equal("fold_batch_norm", "channels", count, size);
  launch_elements(device, count,
                  FoldBatchNorm{norm.weight.data, norm.bias.data, norm.mean.data, norm.var.data,
                                scale.data, shift.data, count, epsilon});
}

}  // namespace opencd::kernels
