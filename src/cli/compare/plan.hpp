// Which runs a comparison needs, and which tables show them. Nothing is run here.
#pragma once

#include "cli/compare/tables.hpp"
#include "cli/counter_options.hpp"
#include "cli/train_run.hpp"
#include "opencd/published.hpp"

#include <functional>

namespace opencd::cli {

/// In place of a list of methods.
inline constexpr const char* kAllMethods = "all";

struct CompareOptions {
  TrainOptions train;
  std::vector<std::string> methods;  // or "all"; empty: OpenNCD, if no other table is asked for
  std::vector<std::uint32_t> seeds;  // empty: --seed alone
  std::vector<std::string> counters;
  bool ablation = false;
  std::vector<std::string> sweeps;  // "known=1,3,5"
  CounterArguments counting;
};

/// One run, in the folder of its name below that of the comparison.
struct PlannedRun {
  std::string name;      // "orca-1"
  std::string counter;   // that counts on features of the backbone; empty: a method is trained
  TrainOptions options;  // with all that the run differs in
  KnownRule rule = KnownRule::named;
};

/// A table whose rows still name runs in place of their scores.
struct PlannedTable {
  ScoreTable table;                            // rows without runs
  std::vector<std::vector<std::string>> runs;  // names, of every row
};

struct ComparisonPlan {
  std::vector<PlannedRun> runs;  // seed by seed, so that tables fill evenly
  std::vector<PlannedTable> tables;
};

/// What `counters` may hold: all counters, and OpenNCD without labels.
std::vector<std::string> comparison_counters();

/// `setting` is that of the published values. UsageError for a sweep that does not read.
ComparisonPlan plan_comparison(const CompareOptions& options, const PublishedSetting& setting);

}  // namespace opencd::cli
