// Which colour a class and a group have on the page. A group that was matched with a class has the
// colour of the class; the others follow.
#pragma once

#include "cli/report/line_chart.hpp"
#include "cli/report/run_record.hpp"

#include <algorithm>

namespace opencd::cli::report {

inline std::size_t group_colour(const RunRecord& run, std::int32_t group) {
  const auto matched = std::find_if(run.classes.begin(), run.classes.end(),
                                    [&](const ClassRecord& cls) { return cls.group == group; });
  if (matched != run.classes.end()) return static_cast<std::size_t>(matched - run.classes.begin());
  return run.classes.size() + static_cast<std::size_t>(std::max(group, 0));
}

}  // namespace opencd::cli::report
