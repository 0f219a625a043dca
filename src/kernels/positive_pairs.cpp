#include "kernels/positive_pairs.hpp"

#include "kernels/check.hpp"
#include "kernels/device/positive_pairs.hpp"
#include "kernels/launch.hpp"

namespace opencd::kernels {

void positive_pairs(Device& device,
                    Rows<const float> cosines,
                    View<const std::int32_t> labels,
                    View<std::int32_t> partners,
                    PairKey key) {
  require_equal("positive_pairs", "columns of the cosines", cosines.rows, cosines.columns);
  require_equal("positive_pairs", "labels", cosines.rows, labels.size);
  require_equal("positive_pairs", "partners", cosines.rows, partners.size);
  launch_rows(device, cosines.rows, cosines.columns,
              PositivePairs{cosines.data, labels.data, partners.data,
                            to_int("positive_pairs", cosines.rows), key.seed, key.step});
}

}  // namespace opencd::kernels
