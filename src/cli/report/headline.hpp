// What a reader wants to know first: the scores, the classes found, what it was trained on.
#pragma once

#include "cli/report/markup.hpp"
#include "cli/report/run_record.hpp"

namespace opencd::cli::report {

/// "opencd on fashion-mnist · 5 known classes, 277 of 6000 rows labelled · seed 2023"
Markup subtitle(const RunRecord& run);
/// Large figures.
Markup headline(const RunRecord& run);
/// All protocols, unlabelled and held-out rows.
Markup score_table(const RunRecord& run);

/// A number inside the summary, by the names of its objects; NaN if it is not there.
double summary_number(const RunRecord& run, const std::vector<std::string>& path);

}  // namespace opencd::cli::report
