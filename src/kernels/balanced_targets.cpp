#include "kernels/balanced_targets.hpp"

#include "kernels/check.hpp"
#include "kernels/columns.hpp"
#include "kernels/device/balanced_targets.hpp"
#include "kernels/device/consistency.hpp"
#include "kernels/launch.hpp"

namespace opencd::kernels {

void balanced_targets(Device& device,
                      Scratch& scratch,
                      Rows<const float> q,
                      View<const float> shares,
                      Rows<float> targets,
                      const BalanceConfig& config) {
  constexpr const char* kName = "balanced_targets";
  require_same_shape(kName, q, targets);
  require_equal(kName, "shares", q.columns, shares.size);
  if (q.size() == 0) fail<ShapeError>("[{}] expected at least one entry, got none", kName);
  if (config.rounds < 1)
    fail<ShapeError>("[{}] expected one round or more, got {}", kName, config.rounds);
  const Scratch::Frame frame(scratch);
  const View<float> mean = scratch.take<float>(q.columns);
  launch_elements(device, q.size(),
                  SharpenGroups{q.data, targets.data, q.size(), config.sharpness});
  for (int round = 0; round < config.rounds; ++round) {
    column_mean(device, scratch, targets, mean);
    launch_rows(device, q.rows, q.columns,
                BalanceRows{mean.data, shares.data, targets.data, to_int(kName, q.columns)});
  }
}

std::size_t balanced_targets_scratch_bytes(std::size_t rows, std::size_t groups) {
  return Scratch::aligned(groups * sizeof(float)) + column_scratch_bytes(rows, groups);
}

void target_cross_entropy(Device& device,
                          Scratch& scratch,
                          const PrototypeGroups& groups,
                          const TargetBatch& batch,
                          Rows<float> diff,
                          View<float> loss,
                          const TargetLossConfig& config) {
  constexpr const char* kName = "target_cross_entropy";
  const auto [p, q, targets] = batch;
  require_same_shape(kName, q, targets);
  require_same_shape(kName, p, diff);
  require_equal(kName, "rows", p.rows, q.rows);
  require_equal(kName, "prototypes", groups.prototypes(), p.columns);
  require_equal(kName, "groups", groups.groups(), q.columns);
  require_equal(kName, "losses", 1, loss.size);
  if (p.rows == 0) fail<ShapeError>("[{}] expected at least one row, got none", kName);
  if (!(config.temperature > 0.0f))
    fail<ShapeError>("[{}] expected a temperature above 0, got {}", kName, config.temperature);
  const Scratch::Frame frame(scratch);
  const View<float> parts = scratch.take<float>(p.rows);
  const float inv_rows = 1.0f / static_cast<float>(p.rows);
  launch_rows(
      device, p.rows, p.columns,
      TargetCrossEntropyRows{p.data, q.data, targets.data, groups.group_of().data, diff.data,
                             parts.data, to_int(kName, p.columns), to_int(kName, q.columns),
                             config.weight * inv_rows / config.temperature, inv_rows});
  launch_rows(device, 1, p.rows, SumOfEntries{parts.data, loss.data, to_int(kName, p.rows)});
}

std::size_t target_cross_entropy_scratch_bytes(std::size_t rows) {
  return Scratch::aligned(rows * sizeof(float));
}

}  // namespace opencd::kernels
