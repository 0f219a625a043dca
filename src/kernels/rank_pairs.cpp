#include "kernels/rank_pairs.hpp"

#include "kernels/check.hpp"
#include "kernels/device/consistency.hpp"
#include "kernels/device/rank_pairs.hpp"
#include "kernels/launch.hpp"

namespace opencd::kernels {

void rank_pairs(Device& device,
                Scratch& scratch,
                Rows<const float> products,
                Rows<const std::int32_t> tops,
                View<const std::int32_t> labels,
                Rows<float> diff_products,
                View<float> loss) {
  constexpr const char* kName = "rank_pairs";
  require_equal(kName, "columns of the products", products.rows, products.columns);
  require_equal(kName, "rows of largest features", products.rows, tops.rows);
  require_equal(kName, "labels", products.rows, labels.size);
  require_same_shape(kName, products, diff_products);
  require_equal(kName, "losses", 1, loss.size);
  const Scratch::Frame frame(scratch);
  const View<float> parts = scratch.take<float>(products.rows);
  const int rows = to_int(kName, products.rows);
  launch_rows(device, products.rows, products.columns,
              RankPairs{products.data, tops.data, labels.data, diff_products.data, parts.data, rows,
                        to_int(kName, tops.columns)});
  launch_rows(device, 1, products.rows, SumOfEntries{parts.data, loss.data, rows});
}

std::size_t rank_pairs_scratch_bytes(std::size_t rows) {
  return Scratch::aligned(rows * sizeof(float));
}

}  // namespace opencd::kernels
