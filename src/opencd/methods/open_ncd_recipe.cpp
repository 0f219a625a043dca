#include "opencd/methods/open_ncd_recipe.hpp"

#include "opencd/methods/open_ncd_config.hpp"

namespace opencd {

Recipe open_ncd_recipe(const Json& options) {
  const OpenNcdConfig config = open_ncd_config(options);
  Recipe recipe;
  if (config.warm_head_only) recipe.encoder_from = config.warm_epochs;
  return recipe;
}

Recipe open_ncd_plus_recipe(const Json& options) {
  Recipe recipe = open_ncd_recipe(options);
  const double share = open_ncd_plus_config(options).labelled_share;
  if (share > 0.0) recipe.sampling = {.kind = data::Sampling::least_share, .labeled_share = share};
  if (options.value("strong-views", false)) recipe.augment[1] = "opencd-strong";
  if (options.value("whole-network", false))
    recipe.whole_from = open_ncd_config(options).grouping_epochs;
  return recipe;
}

}  // namespace opencd
