// Maps of several runs side by side, as the paper shows them: rows in the colour of their true class,
// prototypes in that of the class that their group was matched with. They need no script.
#pragma once

#include "cli/report/feature_map.hpp"

#include <vector>

namespace opencd::cli::report {

struct MapPanel {
  const RunRecord* run = nullptr;
  FeatureMap map;
};

/// A panel a run, and one legend for all.
Markup map_panels(const std::vector<MapPanel>& panels);

}  // namespace opencd::cli::report
