// The runs of a comparison, one after the other in one process, and the tables that they fill. Runs
// that are done are not done again, one that was stopped goes on, one that fails is told of and the
// others go on. Tables are written after every run and depend on the runs' scores alone; the page
// about it all, with maps and the numbers of groups over epochs, is written at the end.
#pragma once

#include "cli/compare/plan.hpp"

#include <exception>
#include <map>

namespace opencd::cli {

class BackboneFeatures;

class Comparison {
 public:
  /// `set` must outlive this.
  Comparison(const CompareOptions& options, ComparisonPlan plan, const data::ImageSet& set);
  ~Comparison();

  /// All runs that are not done. 130 or 143 after a signal, else 0.
  int run(const nn::Engine& engine);

  /// What is done, for the tables.
  const ComparisonRecord& record() const { return record_; }
  void rethrow_first_failure() const;

 private:
  std::filesystem::path folder() const { return options_.train.run.out; }
  const data::OpenWorldSplit& split_of(const PlannedRun& run);
  /// All that the numbers of a run depend on.
  Json key_settings(const PlannedRun& run);
  /// UsageError if one of the runs is there with other settings; nothing has been written by then.
  void require_same_settings();
  /// Its summary, if the run is there with these settings and to its end.
  std::optional<Json> finished_summary(const PlannedRun& run);
  TrainedRun execute(const PlannedRun& run, const nn::Engine& engine, const RunPlace& place);
  void attempt(const PlannedRun& run, const nn::Engine& engine, const RunPlace& place, int& code);
  void keep(const PlannedRun& run, const Json& summary);
  double mean_seconds() const;
  RecordedRun& recorded(const PlannedRun& run);
  void write_tables() const;
  void write_page(const nn::Engine& engine) const;

  const CompareOptions& options_;
  ComparisonPlan plan_;
  const data::ImageSet& set_;
  std::map<std::string, data::OpenWorldSplit> splits_;  // by what they were asked for
  std::unique_ptr<BackboneFeatures> features_;
  ComparisonRecord record_;    // its runs in the order of the plan's
  double seconds_here_ = 0.0;  // of runs that this process finished
  std::size_t runs_here_ = 0;
  std::exception_ptr first_failure_;
};

}  // namespace opencd::cli
