#include "cli/discovery_files.hpp"

#include "cli/output.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace opencd::cli {

namespace {

constexpr std::size_t kShownGroups = 30;

std::optional<std::int32_t> known_class(const data::FeatureClasses& classes, std::int32_t group) {
  const auto place = static_cast<std::size_t>(group);
  if (place >= classes.known) return std::nullopt;
  return classes.class_order[place];
}

}  // namespace

std::vector<GroupSize> group_sizes(const std::vector<Prediction>& predictions,
                                   const data::FeatureClasses& classes) {
  std::vector<std::size_t> rows(classes.known, 0);
  for (const Prediction& prediction : predictions) {
    const auto group = static_cast<std::size_t>(prediction.group);
    if (group >= rows.size()) rows.resize(group + 1, 0);
    ++rows[group];
  }
  std::vector<GroupSize> groups;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto group = static_cast<std::int32_t>(i);
    if (rows[i] > 0 || i < classes.known)
      groups.push_back({group, rows[i], known_class(classes, group)});
  }
  return groups;
}

std::string groups_csv(const std::vector<Prediction>& predictions,
                       const data::FeatureClasses& classes) {
  std::string text = "row,group,known_class,confidence,margin,likeness\n";
  for (std::size_t row = 0; row < predictions.size(); ++row) {
    const Prediction& p = predictions[row];
    const auto known = known_class(classes, p.group);
    text += fmt::format("{},{},{},{:.6f},{:.6f},{:.6f}\n", row, p.group,
                        known ? std::to_string(*known) : "", p.confidence, p.margin, p.likeness);
  }
  return text;
}

Json discovery_summary(const std::optional<Evaluation>& evaluation,
                       const GroupCount& count,
                       const std::vector<GroupSize>& groups,
                       std::size_t rows) {
  Json summary = evaluation ? to_json(*evaluation)
                            : Json{{"rows", rows},
                                   {"classes_found", count.found},
                                   {"classes_interval", {count.low, count.high}}};
  summary["groups"] = Json::array();
  for (const GroupSize& group : groups)
    summary["groups"].push_back(
        {{"group", group.group},
         {"size", group.rows},
         {"known_class", group.known_class ? Json(*group.known_class) : Json(nullptr)}});
  return summary;
}

void print_groups(const std::vector<GroupSize>& groups, const GroupCount& count) {
  print_line(fmt::format("{} classes found ({} to {})", count.found, count.low, count.high));
  std::vector<std::vector<std::string>> table;
  for (const GroupSize& group : groups) {
    if (table.size() == kShownGroups) break;
    table.push_back({std::to_string(group.group),
                     group.known_class ? std::to_string(*group.known_class) : "new",
                     std::to_string(group.rows)});
  }
  print_table({"group", "class", "rows"}, table);
  if (groups.size() > kShownGroups)
    print_line(fmt::format("and {} more", groups.size() - kShownGroups));
}

}  // namespace opencd::cli
