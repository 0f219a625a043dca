// From a configuration to what kernels and `draw` compute with: integers, checked once.
#pragma once

#include "kernels/augment_config.hpp"
#include "kernels/augment_draw.hpp"

namespace opencd::kernels {

/// Height, width and channels of the views that `config` makes of pictures of shape `source`.
PictureShape view_shape(const AugmentConfig& config, const PictureShape& source);

/// The width of the blur's kernel in pixels.
int blur_size(const AugmentConfig& config, const PictureShape& source);

/// Throws UsageError, with the field's name, where a value makes no sense for such pictures.
AugmentPlan make_augment_plan(const AugmentConfig& config, const PictureShape& source);

}  // namespace opencd::kernels
