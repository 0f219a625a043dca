#include "cli/report/map_marks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace opencd::cli::report {

namespace {

constexpr double kMargin = 16;

double squared_distance(const MapPoint& a, const MapPoint& b) {
  return (a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y);
}

std::string diamond(const MapPoint& point) {
  return fmt::format("M{} {}l6 6l-6 6l-6 -6z", decimal(point.x), decimal(point.y - 6));
}

}  // namespace

FeatureMap placed(FeatureMap map, double width, double height) {
  double left = INFINITY, right = -INFINITY, top = INFINITY, bottom = -INFINITY;
  const auto for_all = [&](auto&& change) {
    for (MapPoint& point : map.rows) change(point);
    for (MapPoint& point : map.prototypes) change(point);
  };
  for_all([&](const MapPoint& point) {
    left = std::min(left, point.x);
    right = std::max(right, point.x);
    top = std::min(top, point.y);
    bottom = std::max(bottom, point.y);
  });
  const bool stands = bottom - top > right - left;
  if (width != height && stands == (width > height)) {
    for_all([](MapPoint& point) { std::swap(point.x, point.y); });
    std::swap(left, top);
    std::swap(right, bottom);
  }
  const double scale = std::min((width - 2 * kMargin) / std::max(right - left, 1e-9),
                                (height - 2 * kMargin) / std::max(bottom - top, 1e-9));
  for_all([&](MapPoint& point) {
    point.x = width / 2 + (point.x - (left + right) / 2) * scale;
    point.y = height / 2 + (point.y - (top + bottom) / 2) * scale;
  });
  return map;
}

std::string dot(const MapPoint& point) {
  return fmt::format("M{} {}h0", decimal(point.x), decimal(point.y));
}

std::vector<std::pair<std::size_t, std::size_t>> shortest_links(
    const std::vector<MapPoint>& points) {
  // Prim's tree: the nearest point outside is joined, again and again.
  std::vector<std::pair<std::size_t, std::size_t>> links;
  std::vector<double> distance(points.size(), INFINITY);
  std::vector<std::size_t> partner(points.size(), 0);
  std::vector<bool> joined(points.size(), false);
  for (std::size_t last = 0; links.size() + 1 < points.size();) {
    joined[last] = true;
    std::size_t nearest = points.size();
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (joined[i]) continue;
      if (const double d = squared_distance(points[i], points[last]); d < distance[i]) {
        distance[i] = d;
        partner[i] = last;
      }
      if (nearest == points.size() || distance[i] < distance[nearest]) nearest = i;
    }
    links.emplace_back(partner[nearest], nearest);
    last = nearest;
  }
  return links;
}

Markup prototype_marks(const std::vector<MapPoint>& group) {
  if (group.empty()) return {};
  std::string lines, diamonds;
  for (const auto& [a, b] : shortest_links(group))
    lines += fmt::format("M{} {}L{} {}", decimal(group[a].x), decimal(group[a].y),
                         decimal(group[b].x), decimal(group[b].y));
  for (const MapPoint& point : group) diamonds += diamond(point);
  Markup marks;
  if (!lines
           .empty())  // with an edge like that of the diamonds, to be seen among dots of its colour
    marks = tag("path", {{"class", "link-edges"}, {"d", lines}}) +
            tag("path", {{"class", "links"}, {"d", lines}});
  return marks + tag("path", {{"class", "prototypes"}, {"d", diamonds}});
}

std::map<std::uint32_t, std::int32_t> classes_of_rows(const RunRecord& run) {
  std::map<std::uint32_t, std::int32_t> classes;
  for (const RowRecord& row : run.rows)
    if (row.cls >= 0) classes[row.row] = row.cls;
  return classes;
}

}  // namespace opencd::cli::report
