// What a comparison has done so far, run by run, and which tables show it: the content of runs.json. All
// tables are made of it, here and wherever the file is read again.
#pragma once

#include "cli/compare/tables.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace opencd::cli {

/// What made the numbers of a run.
struct Provenance {
  std::string version;
  std::string commit;
  std::string cpu;
  int cores = 0;
  std::string device;
};

/// Of a run folder; empty where its env.json does not tell.
Provenance read_provenance(const std::filesystem::path& run);

struct RecordedRun {
  std::string name;               // "opencd-paper-0"
  std::string state = "waiting";  // then done, failed or unfinished
  std::string method;             // or counter, as tables name it
  std::uint32_t seed = 0;
  std::string preset;
  std::string failure;
  // Once it is done:
  std::optional<RunScores> scores;
  std::int64_t epochs = 0;
  double seconds = 0.0;
  Provenance made;
  std::string command;  // that trains it alone; empty for a counter
  nlohmann::ordered_json settings = nlohmann::ordered_json::object();  // that are no defaults
};

/// A table whose rows name runs in place of their scores.
struct TableOfRuns {
  ScoreTable table;                            // rows without runs
  std::vector<std::vector<std::string>> runs;  // names, of every row
};

struct ComparisonRecord {
  std::string data;  // the set's name
  std::string data_hash;
  std::size_t rows = 0;
  std::size_t classes = 0;
  std::size_t known = 0;
  double labeled_ratio = 0.0;
  std::string command;  // that was given last
  std::vector<RecordedRun> runs;
  std::vector<TableOfRuns> tables;

  const RecordedRun* run(const std::string& name) const;
};

/// With the scores of the runs that are done. Below each stands which commit and which machine it is of,
/// or that it is not of one.
std::vector<ScoreTable> filled_tables(const ComparisonRecord& record);

std::string to_markdown(const ComparisonRecord& record);

nlohmann::ordered_json to_json(const ComparisonRecord& record);
/// The same as the text of a file, a run a line.
std::string to_text(const ComparisonRecord& record);
/// FormatError for a file that is none of these.
ComparisonRecord read_comparison(const std::filesystem::path& file);

}  // namespace opencd::cli
