// The page of one run.
#pragma once

#include "cli/report/document.hpp"
#include "cli/report/feature_map.hpp"
#include "cli/report/group_sheets.hpp"

#include <optional>

namespace opencd::cli::report {

/// What a page shows beyond the files of the run.
struct RunExtras {
  std::optional<FeatureMap> map;
  std::string no_map;  // why there is none
  const data::ImageSet* set = nullptr;
  std::string no_pictures;    // why there is none
  Typicalities typicalities;  // of the rows of the map
  std::size_t sheet_pictures = 10;
  bool takes_names = false;  // whether `name` can give groups of the run names
};

Document run_page(const RunRecord& run, const RunExtras& extras);

/// Learning curves, with the groups over epochs.
Markup curves(const RunRecord& run);
/// Settings (those that are not defaults first), environment, and the command.
Markup configuration(const RunRecord& run);

}  // namespace opencd::cli::report
