#include "kernels/tsne.hpp"

#include "kernels/check.hpp"
#include "kernels/device/tsne.hpp"
#include "kernels/launch.hpp"

#include <cmath>

namespace opencd::kernels {

void conditional_affinities(Device& device, Rows<float> values, float perplexity) {
  if (values.columns == 0 || !(perplexity >= 1.0f))
    fail<ShapeError>(
        "[conditional_affinities] expected neighbours and a perplexity of 1 or more, "
        "got {} and {}",
        values.columns, perplexity);
  launch_elements(device, values.rows,
                  ConditionalAffinities{values.data, values.rows,
                                        to_int("conditional_affinities", values.columns),
                                        std::log(perplexity)});
}

void repulsion(Device& device, Rows<const float> map, Rows<float> pushes, View<float> weights) {
  require_equal("repulsion", "planes of the map", 2, map.rows);
  require_same_shape("repulsion", map, pushes);
  require_equal("repulsion", "weights", map.columns, weights.size);
  launch_rows(device, map.columns, map.columns,
              Repulsion{map.data, pushes.data, weights.data, to_int("repulsion", map.columns)});
}

void tsne_step(Device& device,
               const AffinityEntries& entries,
               Rows<const float> map,
               Rows<const float> pushes,
               View<const float> weight,
               const TsneMemory& memory,
               Rows<float> moved,
               const TsneRates& rates) {
  require_equal("tsne_step", "planes of the map", 2, map.rows);
  require_equal("tsne_step", "starts of rows", map.columns + 1, entries.starts.size);
  require_equal("tsne_step", "affinities", entries.columns.size, entries.affinities.size);
  require_equal("tsne_step", "sums of weights", 1, weight.size);
  require_same_shape("tsne_step", map, pushes);
  require_same_shape("tsne_step", map, memory.velocity);
  require_same_shape("tsne_step", map, memory.gains);
  require_same_shape("tsne_step", map, moved);
  if (map.columns == 0) return;
  launch_rows(device, map.columns, entries.columns.size / map.columns,
              TsneStep{entries.starts.data, entries.columns.data, entries.affinities.data, map.data,
                       pushes.data, weight.data, memory.velocity.data, memory.gains.data,
                       moved.data, to_int("tsne_step", map.columns), rates});
}

}  // namespace opencd::kernels
