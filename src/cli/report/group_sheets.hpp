// A sheet for every group: its classes, its most typical, least certain and strange pictures, and a
// field for a name.
#pragma once

#include "cli/report/group_rows.hpp"
#include "cli/report/markup.hpp"
#include "data/image_set.hpp"

namespace opencd::cli::report {

struct SheetOptions {
  const data::ImageSet* set = nullptr;  // where pictures come from; null: there are none
  std::size_t pictures = 10;            // in a strip
  std::size_t sampled = 0;              // rows whose typicality is known
  bool takes_names = false;             // whether `name` can give groups of the run names
};

Markup group_sheets(const RunRecord& run,
                    const Typicalities& typicalities,
                    const SheetOptions& options);

}  // namespace opencd::cli::report
