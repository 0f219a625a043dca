// FixMatch's strong operations with all their levels, worked out once on the host: a view's
// parameters name a place in this table.
#pragma once

#include "kernels/augment_config.hpp"
#include "kernels/strong_operation.hpp"

namespace opencd::kernels {

/// The operations in the order of the published code, each for levels 0 to 9 and both signs:
/// place = (operation * 10 + level) * 2 + (1 if negative). `view` is the shape they act on.
std::vector<StrongOperation> make_strong_operations(const PictureShape& view);

}  // namespace opencd::kernels
