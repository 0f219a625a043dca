// A comparison as a page of the report: its tables, the groups over epochs, maps of features, then the
// runs side by side.
#pragma once

#include "cli/compare/group_evolution.hpp"
#include "cli/compare/tables.hpp"
#include "cli/report/document.hpp"
#include "cli/report/map_panels.hpp"
#include "cli/report/run_record.hpp"

namespace opencd::cli {

/// What there is besides tables.
struct ComparisonFigures {
  const std::vector<report::RunRecord>& runs;  // that are done
  std::vector<GroupEvolution> evolutions;
  std::vector<report::MapPanel> maps;
};

report::Document comparison_page(const std::string& data,
                                 const std::vector<ScoreTable>& tables,
                                 const ComparisonFigures& figures);

}  // namespace opencd::cli
