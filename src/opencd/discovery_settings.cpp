#include "opencd/discovery_settings.hpp"

#include "opencd/methods/open_ncd_defaults.hpp"

#include <algorithm>
#include <cmath>

namespace opencd {

namespace {

constexpr std::size_t kPrototypesAClass = 5;
constexpr std::size_t kLeastPrototypes = 50;
constexpr std::size_t kMostPrototypes = 500;
constexpr std::size_t kRowsAPrototype = 4;  // at least

std::int64_t prototype_count(const DiscoveryTask& task) {
  const auto by_rows = static_cast<std::size_t>(std::sqrt(static_cast<double>(task.rows)) / 5.0);
  // More prototypes than classes need leave each with rows of fewer others, and groups to chance.
  const std::size_t guess = task.known != 0 ? 2 * task.known : by_rows;
  const std::size_t expected = task.classes != 0 ? task.classes : guess;
  const std::size_t wanted =
      std::clamp(kPrototypesAClass * expected, kLeastPrototypes, kMostPrototypes);
  const std::size_t least = std::max<std::size_t>({task.classes, task.known, 2});
  return static_cast<std::int64_t>(std::max(least, std::min(wanted, task.rows / kRowsAPrototype)));
}

/// `method` with those of the `defaults` that are about grouping; prototypes and affinity are chosen here.
OpenNcdConfig with(const OpenNcdConfig& method, const Json& defaults) {
  Json options = to_json(method);
  for (const auto& [key, value] : defaults.items())
    if (key != "prototypes" && key != "kappa" && key != "affinity-share") options[key] = value;
  return open_ncd_config(options);
}

}  // namespace

DiscoverySettings discovery_settings(const DiscoveryTask& task) {
  DiscoverySettings settings;
  OpenNcdConfig& method = settings.method;
  method.prototypes = prototype_count(task);
  method.lambda_reg = task.lambda_reg;
  method.kappa = std::min<std::int64_t>(3, method.prototypes);
  method.hidden = std::clamp<std::int64_t>(static_cast<std::int64_t>(task.columns), 128, 512);
  // Groups that are made too early hold their rows together whether they are classes or not; where
  // there is neither a number nor labels to count by, nothing else corrects it.
  const bool counted = task.classes != 0 || task.known != 0;
  const std::int64_t warm = counted ? task.epochs / 10 : task.epochs * 3 / 10;
  method.warm_epochs =
      std::clamp<std::int64_t>(warm, 1, std::max<std::int64_t>(1, task.epochs - 1));
  if (task.epochs < 2) method.warm_epochs = 0;
  method.grouping_epochs = std::max<std::int64_t>(method.warm_epochs + 1, task.epochs * 7 / 10);
  method.grouping_rows = 10000;
  const MethodTask told{task.known, task.classes, task.epochs};
  const Json given = {{"warm-epochs", method.warm_epochs},
                      {"grouping-epochs", method.grouping_epochs}};
  if (task.plus) {
    method = with(method, open_ncd_plus_defaults(told, given));
    method.ce_while_grouping = counted;
  } else {
    method = with(method, open_ncd_defaults(told, given));
  }
  if (task.labelled_share > 0.0)
    settings.trainer.sampling = {data::Sampling::least_share, task.labelled_share};
  settings.trainer.epochs = task.epochs;
  settings.trainer.schedule = {.kind = nn::ScheduleKind::cosine,
                               .learning_rate = task.learning_rate,
                               .total = static_cast<double>(task.epochs),
                               .minimum = 0.01 * task.learning_rate};
  return settings;
}

}  // namespace opencd
