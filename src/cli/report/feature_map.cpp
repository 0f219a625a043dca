#include "cli/report/feature_map.hpp"

#include "cli/report/colours.hpp"
#include "cli/report/confusion.hpp"
#include "cli/report/map_marks.hpp"

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <map>

namespace opencd::cli::report {

namespace {

constexpr double kWidth = 1000, kHeight = 680;

std::string name_of_group(const RunRecord& run, std::int32_t number) {
  const GroupRecord* group = run.group(number);
  return group ? group->name : fmt::format("group {}", number);
}

struct Layer {
  std::string dots;
  std::vector<MapPoint> prototypes;
};

Markup layers(const std::map<std::int32_t, Layer>& list,
              const char* prefix,
              const std::function<std::size_t(std::int32_t)>& colour,
              const std::function<std::string(std::int32_t)>& name) {
  Markup marks;
  for (const auto& [number, layer] : list) {
    Markup content = tag("title", {}, name(number));
    content += tag("path", {{"class", "dots"}, {"d", layer.dots}});
    content += prototype_marks(layer.prototypes);
    marks += tag("g",
                 {{"class", colour_class(colour(number))},
                  {"data-layer", fmt::format("{}{}", prefix, number)}},
                 content);
  }
  return marks;
}

Markup legend(const std::map<std::int32_t, Layer>& list,
              const char* prefix,
              const std::function<std::size_t(std::int32_t)>& colour,
              const std::function<std::string(std::int32_t)>& name) {
  Markup items;
  for (const auto& [number, layer] : list)
    items += tag("li", {},
                 tag("button",
                     {{"type", "button"},
                      {"aria-pressed", "true"},
                      {"data-toggles", fmt::format("{}{}", prefix, number)}},
                     tag("i", {{"class", "swatch " + colour_class(colour(number))}}) +
                         Markup(name(number))));
  return tag("ul", {{"class", std::string("legend by-") + prefix}}, items);
}

/// What the script needs to know of the points.
Json script_data(const RunRecord& run,
                 const FeatureMap& map,
                 const std::map<std::uint32_t, std::int32_t>& classes) {
  std::map<std::uint32_t, std::string> paths;
  for (const RowRecord& row : run.rows)
    if (!row.path.empty()) paths[row.row] = row.path;
  Json points = Json::array(), groups = Json::object(), names = Json::array();
  const auto rounded = [](double value) { return std::round(value * 10.0) / 10.0; };
  for (const MapPoint& point : map.rows) {
    const auto cls = classes.find(point.row);
    const auto path = paths.find(point.row);
    Json entry = {rounded(point.x), rounded(point.y), point.row, point.group,
                  cls == classes.end() ? -1 : cls->second};
    if (path != paths.end()) entry.push_back(path->second);
    points.push_back(std::move(entry));
    groups[std::to_string(point.group)] = name_of_group(run, point.group);
  }
  for (const ClassRecord& cls : run.classes) names.push_back(cls.name);
  return {{"points", points},
          {"groups", groups},
          {"classes", names},
          {"cell", map.pictures.cell},
          {"columns", map.pictures.columns}};
}

/// Chooses the colouring; the style sheet does the rest.
Markup choice(const char* id, const char* label, bool checked) {
  Attributes attributes = {{"type", "radio"}, {"name", "colouring"}, {"id", id}};
  if (checked) attributes.push_back({"checked", ""});
  return void_tag("input", attributes) + tag("label", {{"for", id}}, label);
}

}  // namespace

std::string script_json(const Json& value) {
  std::string text;
  for (const char c : value.dump(-1, ' ', true, Json::error_handler_t::replace))
    text += c == '<' ? std::string("\\u003c") : std::string(1, c);
  return text;
}

Markup feature_map(const RunRecord& run, const FeatureMap& source) {
  const FeatureMap map = placed(source, kWidth, kHeight);
  const auto classes = classes_of_rows(run);
  std::map<std::int32_t, Layer> by_group, by_class;
  for (const MapPoint& point : map.rows) {
    by_group[point.group].dots += dot(point);
    const auto cls = classes.find(point.row);
    if (cls != classes.end()) by_class[cls->second].dots += dot(point);
  }
  for (const MapPoint& point : map.prototypes) by_group[point.group].prototypes.push_back(point);
  const auto group_shade = [&](std::int32_t group) { return group_colour(run, group); };
  const auto group_name = [&](std::int32_t group) { return name_of_group(run, group); };
  const auto class_shade = [](std::int32_t cls) { return static_cast<std::size_t>(cls); };
  const auto class_name = [&](std::int32_t cls) {
    return run.classes[static_cast<std::size_t>(cls)].name;
  };
  Markup drawing =
      tag("g", {{"class", "by-group"}}, layers(by_group, "group", group_shade, group_name));
  Markup content;
  if (!by_class.empty()) {
    drawing +=
        tag("g", {{"class", "by-class"}}, layers(by_class, "class", class_shade, class_name));
    content += choice("colour-by-group", "groups found", true);
    content += choice("colour-by-class", "true classes", false);
  }
  content += tag("div", {{"class", "plane"}},
                 tag("svg",
                     {{"viewBox", fmt::format("0 0 {} {}", kWidth, kHeight)},
                      {"role", "img"},
                      {"aria-label", "map of features"}},
                     drawing));
  content += legend(by_group, "group", group_shade, group_name);
  if (!by_class.empty()) content += legend(by_class, "class", class_shade, class_name);
  Markup picture;
  if (map.pictures.count > 0)
    picture = void_tag("img", {{"alt", ""}, {"src", map.pictures.address}});
  content += tag("div", {{"class", "tip"}, {"id", "map-tip"}, {"hidden", ""}},
                 tag("div", {{"class", "thumb"}}, picture) + tag("p", {}));
  content += tag("script", {{"type", "application/json"}, {"id", "map-data"}},
                 Markup::raw(script_json(script_data(run, map, classes))));
  return tag("div", {{"class", "map"}}, content);
}

}  // namespace opencd::cli::report
