// How OpenNCD is trained: as its authors do.
//
// `opencd+` is OpenNCD with what the same backbone allows today. Each part is an option of its own, so that its
// effect is a row of an ablation. Its ways to group and to count are in open_ncd_defaults.hpp; of the others, on by
// themselves are those that runs of a few epochs gained from (docs/RESULTS.md):
//
//   warm-head-only       a pretrained encoder is left as it is while there are no groups: L_proto alone makes its
//                        features worse, and the first groups, which hold, are made in them
//   labeled-share        a batch holds more labelled rows than the training set does; L_reg weighs
//                        them as the training set would (open_ncd.hpp)
//   balanced-prediction  a row belongs to the group with the largest q, weighted so that groups share
//                        the training rows alike (open_ncd.hpp)
//
// The others are there to be asked for:
//
//   balanced-targets     L_group learns targets in which every group has its share
//   strong-views         the second view is distorted more: RandAugment and a cut-out besides
//   whole-network        once the groups are fixed, the frozen stages of the network are trained too
//
// The method itself is OpenNcd.
#pragma once

#include "opencd/method.hpp"
#include "opencd/recipe.hpp"

namespace opencd {

Recipe open_ncd_recipe(const Json& options);
Recipe open_ncd_plus_recipe(const Json& options);

}  // namespace opencd
