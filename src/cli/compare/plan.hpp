// Which runs a comparison needs, and which tables show them. Nothing is run here.
#pragma once

#include "cli/compare/entries.hpp"
#include "cli/compare/record.hpp"
#include "cli/counter_options.hpp"
#include "opencd/published.hpp"

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
  std::size_t maps = 0;             // rows on the map of every method; 0: no maps
  std::vector<std::string> from;    // runs.json of other comparisons, to be shown instead
  CounterArguments counting;
};

/// One run, in the folder of its name below that of the comparison.
struct PlannedRun {
  std::string name;      // "orca-1"
  std::string shown;     // the method or counter, as tables name it
  std::string counter;   // that counts on features of the backbone; empty: a method is trained
  TrainOptions options;  // with all that the run differs in
  KnownRule rule = KnownRule::named;
};

struct ComparisonPlan {
  std::vector<PlannedRun> runs;  // seed by seed, so that tables fill evenly
  std::vector<TableOfRuns> tables;
  std::vector<std::string> mapped;  // names of the runs whose features are drawn: a method each
};

/// What `methods` may hold besides `all`.
std::vector<std::string> comparison_methods();
/// What `counters` may hold: counters of clusters, and OpenNCD in all its forms with labels and without.
std::vector<std::string> comparison_counters();

/// `setting` is that of the published values. UsageError for a sweep that does not read.
ComparisonPlan plan_comparison(const CompareOptions& options, const PublishedSetting& setting);

}  // namespace opencd::cli
