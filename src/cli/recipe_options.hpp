// A method's recipe and the user's options become one: what the user, a file, the environment or a
// preset says wins, the rest is as the method's authors have it.
#pragma once

#include "cli/settings.hpp"
#include "cli/train_options.hpp"
#include "opencd/recipe.hpp"

namespace opencd::cli {

/// The recipe with the user's values in it. `arguments` and `settings` are brought in line: what came
/// from the recipe is recorded there with the source "method".
Recipe settle_recipe(Recipe recipe, LearningArguments& arguments, std::vector<Setting>& settings);

/// Optimizer, schedule, second view and sampling; the rest is trainer_config's.
void follow_recipe(const Recipe& recipe, TrainerConfig& config);

}  // namespace opencd::cli
