#include "opencd/methods/open_ncd_plus.hpp"

#include "opencd/methods/open_ncd_config.hpp"

namespace opencd {

Recipe open_ncd_plus_recipe(const Json& options) {
  Recipe recipe;  // OpenNCD's
  if (options.value("strong-views", true)) recipe.augment[1] = "opencd-strong";
  if (options.value("whole-network", true))
    recipe.whole_from = open_ncd_config(options).grouping_epochs;
  return recipe;
}

}  // namespace opencd
