#include "kernels/contrastive.hpp"

#include "kernels/check.hpp"
#include "kernels/device/contrastive.hpp"
#include "kernels/launch.hpp"

namespace opencd::kernels {

namespace {

/// `classes` is null where every picture is its own class.
void contrast(Device& device,
              Scratch& scratch,
              const char* name,
              Rows<const float> cosines,
              const std::int32_t* classes,
              Rows<float> diff,
              View<ContrastiveRecord> record,
              const ContrastiveConfig& config) {
  require_equal(name, "columns of the cosines", cosines.rows, cosines.columns);
  require_same_shape(name, cosines, diff);
  require_equal(name, "records", 1, record.size);
  if (cosines.rows == 0 || cosines.rows % 2 != 0)
    fail<ShapeError>("[{}] expected two views of at least one picture, got {} rows", name,
                     cosines.rows);
  if (!(config.temperature > 0.0f))
    fail<ShapeError>("[{}] expected a temperature above 0, got {}", name, config.temperature);
  const Scratch::Frame frame(scratch);
  const View<float> losses = scratch.take<float>(cosines.rows);
  const int pictures = to_int(name, cosines.rows) / 2;
  launch_rows(device, cosines.rows, cosines.columns,
              ContrastiveRows{cosines.data, classes, diff.data, losses.data, pictures,
                              1.0f / config.temperature, config.weight});
  launch_rows(device, 1, cosines.rows,
              ContrastiveMean{losses.data, classes, record.data, pictures});
}

}  // namespace

void nt_xent(Device& device,
             Scratch& scratch,
             Rows<const float> cosines,
             Rows<float> diff_cosines,
             View<ContrastiveRecord> record,
             const ContrastiveConfig& config) {
  contrast(device, scratch, "nt_xent", cosines, nullptr, diff_cosines, record, config);
}

void sup_con(Device& device,
             Scratch& scratch,
             Rows<const float> cosines,
             View<const std::int32_t> classes,
             Rows<float> diff_cosines,
             View<ContrastiveRecord> record,
             const ContrastiveConfig& config) {
  require_equal("sup_con", "classes", cosines.rows / 2, classes.size);
  contrast(device, scratch, "sup_con", cosines, classes.data, diff_cosines, record, config);
}

std::size_t contrastive_scratch_bytes(std::size_t rows) {
  return Scratch::aligned(rows * sizeof(float));
}

}  // namespace opencd::kernels
