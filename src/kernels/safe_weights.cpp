#include "kernels/safe_weights.hpp"

#include "kernels/check.hpp"
#include "kernels/device/safe_weights.hpp"
#include "kernels/launch.hpp"

namespace opencd::kernels {

namespace {

void check(const char* name, const SafeBatch& batch, Rows<const float> slope) {
  require_same_shape(name, batch.p1, batch.p2);
  require_same_shape(name, batch.p1, slope);
  require_equal(name, "weights", batch.p1.rows, batch.weight_logits.size);
  require_equal(name, "labels", batch.p1.rows, batch.labels.size);
}

}  // namespace

void safe_consistency(Device& device,
                      Scratch& scratch,
                      const SafeBatch& batch,
                      Rows<float> slope,
                      Rows<float> diff2,
                      View<SafeWeightsRecord> record,
                      float factor) {
  constexpr const char* kName = "safe_consistency";
  check(kName, batch, slope);
  require_same_shape(kName, batch.p1, diff2);
  require_equal(kName, "records", 1, record.size);
  const Scratch::Frame frame(scratch);
  const std::size_t b = batch.p1.rows;
  const View<float> u = scratch.take<float>(b);
  const int classes = to_int(kName, batch.p1.columns);
  launch_rows(
      device, b, batch.p1.columns,
      SafeRows{batch.p1.data, batch.p2.data, batch.labels.data, u.data, slope.data, classes});
  launch_rows(device, 1, b,
              SafeSummary{u.data, batch.weight_logits.data, batch.labels.data, record.data,
                          to_int(kName, b)});
  launch_rows(device, b, batch.p1.columns,
              SafeGradient{slope.data, batch.weight_logits.data, batch.labels.data, record.data,
                           diff2.data, classes, factor});
}

void safe_weight_gradient(Device& device,
                          Scratch& scratch,
                          const SafeBatch& batch,
                          Rows<const float> slope,
                          Rows<const float> outer,
                          View<const float> outer_bias,
                          View<const SafeWeightsRecord> record,
                          View<float> diff_weight_logits,
                          float factor) {
  constexpr const char* kName = "safe_weight_gradient";
  check(kName, batch, slope);
  require_same_shape(kName, batch.p1, outer);
  require_equal(kName, "entries of the bias", batch.p1.columns, outer_bias.size);
  require_equal(kName, "records", 1, record.size);
  require_equal(kName, "gradients of weights", batch.p1.rows, diff_weight_logits.size);
  const Scratch::Frame frame(scratch);
  const std::size_t b = batch.p1.rows;
  const View<float> agreement = scratch.take<float>(b);
  launch_rows(device, b, batch.p1.columns,
              SafeAgreement{slope.data, outer.data, outer_bias.data, agreement.data,
                            to_int(kName, batch.p1.columns)});
  launch_rows(device, 1, b,
              SafeWeightGradient{agreement.data, batch.weight_logits.data, batch.labels.data,
                                 record.data, diff_weight_logits.data, to_int(kName, b), factor});
}

std::size_t safe_weights_scratch_bytes(std::size_t rows) {
  return Scratch::aligned(rows * sizeof(float));
}

}  // namespace opencd::kernels
