#include "kernels/feature_views.hpp"

#include "kernels/check.hpp"
#include "kernels/device/feature_views.hpp"
#include "kernels/launch.hpp"

namespace opencd::kernels {

void feature_views(Device& device,
                   Rows<const float> src,
                   View<const std::int32_t> rows,
                   Rows<float> dst,
                   const FeatureViewConfig& config,
                   const FeatureViewKey& key) {
  require_equal("feature_views", "rows", rows.size, dst.rows);
  require_equal("feature_views", "columns", src.columns, dst.columns);
  if (!(config.dropout >= 0.0f && config.dropout < 1.0f) || !(config.noise >= 0.0f))
    fail<ShapeError>(
        "[feature_views] expected dropout in [0, 1) and noise of 0 or more, got {}, {}",
        config.dropout, config.noise);
  const std::size_t pairs = dst.rows * ((dst.columns + 1) / 2);
  launch_elements(
      device, pairs,
      FeatureViews{src.data, rows.data, dst.data, pairs, to_int("feature_views", dst.columns),
                   config.dropout, config.noise, key});
}

}  // namespace opencd::kernels
