#include "kernels/cross_entropy.hpp"

#include "kernels/check.hpp"
#include "kernels/device/cross_entropy.hpp"
#include "kernels/launch.hpp"

namespace opencd::kernels {

void cross_entropy(Device& device,
                   Scratch& scratch,
                   Rows<const float> src,
                   View<const std::int32_t> labels,
                   Rows<float> diff,
                   View<CrossEntropyRecord> record,
                   const CrossEntropyConfig& config) {
  constexpr const char* kName = "cross_entropy";
  require_equal(kName, "labels", src.rows, labels.size);
  require_same_shape(kName, src, diff);
  require_equal(kName, "records", 1, record.size);
  const Scratch::Frame frame(scratch);
  const View<float> losses = scratch.take<float>(src.rows);
  const int rows = to_int(kName, src.rows);
  launch_rows(
      device, src.rows, src.columns,
      CrossEntropyRows{src.data, labels.data, diff.data, losses.data, rows,
                       to_int(kName, src.columns), config.scale, config.margin, config.weight});
  launch_rows(device, 1, src.rows, CrossEntropyMean{losses.data, labels.data, record.data, rows});
}

std::size_t cross_entropy_scratch_bytes(std::size_t rows) {
  return Scratch::aligned(rows * sizeof(float));
}

void pseudo_labels(Device& device,
                   Rows<const float> logits,
                   View<const std::int32_t> labels,
                   View<std::int32_t> pseudo,
                   float threshold) {
  require_equal("pseudo_labels", "labels", logits.rows, labels.size);
  require_equal("pseudo_labels", "pseudo-labels", logits.rows, pseudo.size);
  launch_rows(device, logits.rows, logits.columns,
              PseudoLabelRows{logits.data, labels.data, pseudo.data,
                              to_int("pseudo_labels", logits.columns), threshold});
}

}  // namespace opencd::kernels
