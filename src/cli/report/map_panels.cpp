#include "cli/report/map_panels.hpp"

#include "cli/report/colours.hpp"
#include "cli/report/map_marks.hpp"

#include <fmt/format.h>

namespace opencd::cli::report {

namespace {

constexpr double kSide = 480;

/// A colour's class of the style sheet, and what has it.
using Layers = std::map<std::size_t, std::string>;

Markup dots_by_colour(const MapPanel& panel, const FeatureMap& map) {
  const auto classes = classes_of_rows(*panel.run);
  Layers layers;
  for (const MapPoint& point : map.rows) {
    const auto cls = classes.find(point.row);
    // Where nobody knows classes, groups are shown.
    const std::size_t colour = cls == classes.end() ? group_colour(*panel.run, point.group)
                                                    : static_cast<std::size_t>(cls->second);
    layers[colour] += dot(point);
  }
  Markup marks;
  for (const auto& [colour, dots] : layers)
    marks += tag("path", {{"class", "dots " + colour_class(colour)}, {"d", dots}});
  return marks;
}

Markup groups_of_prototypes(const MapPanel& panel, const FeatureMap& map) {
  std::map<std::int32_t, std::vector<MapPoint>> groups;
  for (const MapPoint& point : map.prototypes) groups[point.group].push_back(point);
  Markup marks;
  for (const auto& [group, points] : groups) {
    const GroupRecord* known = panel.run->group(group);
    const std::string name = known ? known->name : fmt::format("group {}", group);
    marks += tag("g", {{"class", colour_class(group_colour(*panel.run, group))}},
                 tag("title", {}, fmt::format("{}: {} prototypes", name, points.size())) +
                     prototype_marks(points));
  }
  return marks;
}

Markup figure_of(const MapPanel& panel) {
  const FeatureMap map = placed(panel.map, kSide, kSide);
  std::string said = fmt::format("{} rows", map.rows.size());
  if (!map.prototypes.empty()) {
    std::map<std::int32_t, int> groups;
    for (const MapPoint& point : map.prototypes) ++groups[point.group];
    said += fmt::format(", {} prototypes in {} groups", map.prototypes.size(), groups.size());
  }
  return tag("figure", {{"class", "chart map-panel"}},
             tag("figcaption", {}, Markup(panel.run->name) + tag("small", {}, said)) +
                 tag("svg",
                     {{"viewBox", fmt::format("0 0 {} {}", kSide, kSide)},
                      {"role", "img"},
                      {"aria-label", "map of features of " + panel.run->name}},
                     dots_by_colour(panel, map) + groups_of_prototypes(panel, map)));
}

Markup legend_of(const RunRecord& run) {
  Markup items;
  for (std::size_t i = 0; i < run.classes.size(); ++i)
    items += tag("li", {},
                 tag("i", {{"class", "swatch " + colour_class(i)}}) +
                     Markup(run.classes[i].name + (run.classes[i].known ? "" : " (novel)")));
  return items.empty() ? Markup() : tag("ul", {{"class", "legend"}}, items);
}

}  // namespace

Markup map_panels(const std::vector<MapPanel>& panels) {
  Markup figures;
  for (const MapPanel& panel : panels) figures += figure_of(panel);
  return tag("div", {{"class", "map-panels"}}, figures) + legend_of(*panels.front().run);
}

}  // namespace opencd::cli::report
