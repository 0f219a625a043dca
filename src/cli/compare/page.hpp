// A comparison as a page of the report: its tables, then the runs side by side.
#pragma once

#include "cli/compare/tables.hpp"
#include "cli/report/document.hpp"
#include "cli/report/run_record.hpp"

namespace opencd::cli {

report::Document comparison_page(const std::string& data,
                                 const std::vector<ScoreTable>& tables,
                                 const std::vector<report::RunRecord>& runs);

}  // namespace opencd::cli
