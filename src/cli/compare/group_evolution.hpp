// How the number of groups falls while it is searched for, epoch by epoch: a line a seed, as in the
// paper's figure of progressive grouping.
#pragma once

#include "cli/report/markup.hpp"
#include "cli/report/run_record.hpp"

#include <string>
#include <vector>

namespace opencd::cli {

/// Of the runs that differ by their seed alone.
struct GroupEvolution {
  std::string name;  // "opencd-paper"
  struct OfSeed {
    std::string seed;
    report::Points groups;  // over epochs
  };
  std::vector<OfSeed> seeds;
};

/// Of all runs that were not told the number of classes and recorded how many groups they had.
std::vector<GroupEvolution> group_evolutions(const std::vector<report::RunRecord>& runs);

/// method,seed,epoch,groups
std::string to_csv(const std::vector<GroupEvolution>& evolutions);
report::Markup evolution_charts(const std::vector<GroupEvolution>& evolutions);

}  // namespace opencd::cli
