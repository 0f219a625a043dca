// Groups against classes: the heat map, and the table of classes.
#pragma once

#include "cli/report/markup.hpp"
#include "cli/report/run_record.hpp"

#include <map>

namespace opencd::cli::report {

/// How many rows of each class (by place) a group holds; rows of unknown class are left out.
using ClassCounts = std::map<std::int32_t, std::size_t>;
std::map<std::int32_t, ClassCounts> classes_of_groups(const RunRecord& run);

/// Groups in the order that puts matched ones on the diagonal.
std::vector<std::int32_t> matched_order(const RunRecord& run);

Markup heat_map(const RunRecord& run);
Markup class_table(const RunRecord& run);

/// A bar of `fraction` of its width.
Markup bar(double fraction);

}  // namespace opencd::cli::report
