// What `discover` leaves in its folder: groups.csv, summary.json, model.safetensors, state.json.
#pragma once

#include "data/feature_classes.hpp"
#include "opencd/evaluation.hpp"
#include "opencd/method.hpp"

#include <optional>
#include <string>
#include <vector>

namespace opencd::cli {

/// A discovered or known class, and how many rows it has.
struct GroupSize {
  std::int32_t group = 0;
  std::size_t rows = 0;
  std::optional<std::int32_t> known_class;  // its number, as the user gave it
};

/// Groups of known classes, and all others that have rows.
std::vector<GroupSize> group_sizes(const std::vector<Prediction>& predictions,
                                   const data::FeatureClasses& classes);

/// row,group,known_class,confidence,margin,likeness
std::string groups_csv(const std::vector<Prediction>& predictions,
                       const data::FeatureClasses& classes);

/// The fields of cli.md; scores only where there is an evaluation.
Json discovery_summary(const std::optional<Evaluation>& evaluation,
                       const GroupCount& count,
                       const std::vector<GroupSize>& groups,
                       std::size_t rows);

void print_groups(const std::vector<GroupSize>& groups, const GroupCount& count);

}  // namespace opencd::cli
