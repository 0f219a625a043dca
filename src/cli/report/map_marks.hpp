// What maps of features are drawn with: places in a frame, dots for rows, diamonds for prototypes, and
// links between the prototypes of a group.
#pragma once

#include "cli/report/feature_map.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace opencd::cli::report {

/// The map in a frame of this size, x and y to one scale; its longer side lies along the frame's.
FeatureMap placed(FeatureMap map, double width, double height);

/// A line of no length, which round ends make a dot.
std::string dot(const MapPoint& point);

/// Pairs of points, by their places in the list, that hold all of them together with the least length
/// of lines: a tree. None for fewer than two.
std::vector<std::pair<std::size_t, std::size_t>> shortest_links(
    const std::vector<MapPoint>& points);

/// The prototypes of one group as diamonds, linked with each other.
Markup prototype_marks(const std::vector<MapPoint>& group);

/// The true classes of rows, by row number.
std::map<std::uint32_t, std::int32_t> classes_of_rows(const RunRecord& run);

}  // namespace opencd::cli::report
