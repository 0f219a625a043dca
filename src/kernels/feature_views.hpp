// Views of feature vectors: what augmentation is for pictures.
#pragma once

#include "kernels/feature_view_key.hpp"
#include "kernels/memory.hpp"

namespace opencd::kernels {

struct FeatureViewConfig {
  float dropout = 0.0f;  // share of the entries that become 0; the others grow to keep the mean
  float noise = 0.0f;    // deviation of what is added to every entry
};

/// dst[i] = a view of src[rows[i]]. Without dropout and noise it is a copy. ShapeError for shapes
/// that do not fit and for a dropout that is not in [0, 1).
void feature_views(Device& device,
                   Rows<const float> src,
                   View<const std::int32_t> rows,
                   Rows<float> dst,
                   const FeatureViewConfig& config,
                   const FeatureViewKey& key);

}  // namespace opencd::kernels
