// The map of features: rows and prototypes in the plane, coloured by group or by class. An SVG with one
// path a group, so that it is there without scripts and on paper too; a script adds the picture under
// the pointer.
#pragma once

#include "cli/report/markup.hpp"
#include "cli/report/picture_tiles.hpp"
#include "cli/report/run_record.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace opencd::cli::report {

struct MapPoint {
  double x = 0.0;
  double y = 0.0;
  std::uint32_t row = 0;
  std::int32_t group = 0;
};

struct FeatureMap {
  std::vector<MapPoint> rows;
  std::vector<MapPoint> prototypes;  // `row` is the number of the prototype
  PictureTiles pictures;             // of the rows, in their order; none if the data set is gone
};

/// The map with its legend, and the data of its script.
Markup feature_map(const RunRecord& run, const FeatureMap& map);

/// JSON as it may stand inside a script element.
std::string script_json(const Json& value);

}  // namespace opencd::cli::report
