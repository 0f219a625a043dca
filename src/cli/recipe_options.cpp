#include "cli/recipe_options.hpp"

#include "error.hpp"
#include "opencd/methods/tuning.hpp"

#include <algorithm>

namespace opencd::cli {

namespace {

bool is_cosine(nn::ScheduleKind kind) {
  return kind == nn::ScheduleKind::cosine || kind == nn::ScheduleKind::fading_cosine;
}

class Settler {
 public:
  explicit Settler(std::vector<Setting>& settings) : settings_(settings) {}

  /// Whoever spoke: "default", "preset", "flag", ...
  const std::string& source(const std::string& key) const { return find(key).source; }

  /// Takes the recipe's value into `argument` unless somebody spoke; else the other way round.
  template <class Argument, class Value>
  void settle(const std::string& key, Argument& argument, Value& value) {
    if (source(key) == "default")
      adopt(key, argument, value);
    else
      value = argument;
  }

  template <class Argument, class Value>
  void adopt(const std::string& key, Argument& argument, const Value& value) {
    if (argument == value) return;
    argument = value;
    Setting& setting = find(key);
    setting.value = value;
    setting.source = "method";
  }

 private:
  Setting& find(const std::string& key) const {
    Setting* found = find_setting(settings_, key);
    if (found == nullptr) fail<UsageError>("[recipe] there is no option --{}", key);
    return *found;
  }

  std::vector<Setting>& settings_;
};

}  // namespace

Recipe settle_recipe(Recipe recipe, LearningArguments& arguments, std::vector<Setting>& settings) {
  Settler settler(settings);
  settler.settle("epochs", arguments.epochs, recipe.epochs);
  settler.settle("batch", arguments.batch, recipe.batch);
  settler.settle("crop", arguments.crop, recipe.crop);
  settler.settle("weight-decay", arguments.weight_decay, recipe.optimizer.weight_decay);
  const double published = recipe.schedule.learning_rate;
  settler.settle("lr", arguments.learning_rate, recipe.schedule.learning_rate);
  recipe.schedule.minimum *= recipe.schedule.learning_rate / published;
  settler.settle("gamma", arguments.gamma, recipe.schedule.gamma);

  if (settler.source("augment") == "default") {
    settler.adopt("augment", arguments.augment, recipe.augment[0]);
  } else {
    recipe.augment = {arguments.augment, arguments.augment};
  }
  // A preset's milestones are for methods that have some; a user's own are for any.
  const std::string& spoke = settler.source("milestones");
  const bool has_milestones = recipe.schedule.kind == nn::ScheduleKind::multi_step;
  if (spoke == "default" || (spoke == "preset" && !has_milestones)) {
    settler.adopt("milestones", arguments.milestones, recipe.schedule.milestones);
  } else {
    recipe.schedule.kind = nn::ScheduleKind::multi_step;
    recipe.schedule.milestones = arguments.milestones;
  }
  if (is_cosine(recipe.schedule.kind))
    recipe.schedule.total = static_cast<double>(std::max<std::int64_t>(1, recipe.epochs));
  return recipe;
}

void follow_recipe(const Recipe& recipe, TrainerConfig& config) {
  config.optimizer = recipe.optimizer;
  config.schedule = recipe.schedule;
  config.smooth_schedule = recipe.smooth_schedule;
  config.sampling = recipe.sampling;
  config.sampling.labeled_epochs = tuning_epochs(recipe.tuning_share, recipe.epochs);
  config.encoder_from = recipe.encoder_from;
  config.whole_from = recipe.whole_from;
  if (recipe.augment[0] == recipe.augment[1]) return;
  config.second_view = kernels::augment_preset(recipe.augment[1]);
  config.second_view->mean = config.train_view.mean;
  config.second_view->std = config.train_view.std;
  config.second_view->height = config.train_view.height;
  config.second_view->width = config.train_view.width;
}

}  // namespace opencd::cli
