// Which rows of a group are worth a look.
#pragma once

#include "cli/report/run_record.hpp"

#include <map>

namespace opencd::cli::report {

/// How usual rows are among those that rightly belong (opencd/calibration.hpp), by row number.
using Typicalities = std::map<std::uint32_t, double>;

/// Places in RunRecord::rows, the most telling first.
struct GroupRows {
  std::vector<std::size_t> typical;    // most like what the group was learned from
  std::vector<std::size_t> uncertain;  // another group is almost as likely
  std::vector<std::size_t> none;       // none of these, of the rows whose typicality is known
};

/// By group number, at most `most` rows of each kind.
std::map<std::int32_t, GroupRows> group_rows(const RunRecord& run,
                                             const Typicalities& typicalities,
                                             std::size_t most);

}  // namespace opencd::cli::report
