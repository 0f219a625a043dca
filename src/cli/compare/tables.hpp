// The tables of a comparison: what every run scored, as mean and deviation over seeds, as CSV and
// Markdown. What was published stands in columns of its own.
#pragma once

#include "cli/mean_deviation.hpp"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

namespace opencd::cli {

/// Of one run, by ORCA's protocol: fractions, and the number of classes that was found.
struct RunScores {
  double known = 0.0;
  double novel = 0.0;
  double all = 0.0;
  double nmi = 0.0;
  double classes = 0.0;
};

/// How the accuracy of known rows is measured: the group of a row must be its class, or, as the paper
/// does it for methods that cannot name classes, it is the best matching of groups and known classes.
enum class KnownRule { named, matched };

/// From eval/summary.json; nothing if there are no scores in it.
std::optional<RunScores> read_scores(const nlohmann::ordered_json& summary, KnownRule rule);

/// A number that a table shows.
struct ScoreColumn {
  std::string name;  // "known"
  double RunScores::* score;
  double factor = 100.0;  // 1 for counts
};

struct ScoreRow {
  std::vector<std::string> names;  // under the headers: a method, or a value and a method; plain
                                   // words, which need no quotes
  std::vector<RunScores> runs;     // of all seeds that are done
  std::size_t missing = 0;         // seeds that are not
  std::vector<std::string> published;  // for every column; empty: nothing was
  KnownRule rule = KnownRule::named;
};

struct ScoreTable {
  std::string file;  // its name without .csv
  std::string title;
  std::vector<std::string> headers;
  std::vector<ScoreColumn> columns;
  std::vector<ScoreRow> rows;
  bool is_sweep = false;  // names are a value and a method: scores can be drawn over the values
  std::vector<std::string> notes;  // sentences about its runs, to stand below it
};

/// In the unit of the column; nothing but a count of 0 where no run is done.
MeanDeviation summarise(const ScoreRow& row, const ScoreColumn& column);

/// Known, novel, all and the number of classes.
std::vector<ScoreColumn> accuracy_columns();
/// The number of classes, all and NMI.
std::vector<ScoreColumn> count_columns();

/// method,runs,known_mean,known_deviation,...,known_published,...: percent; the deviation is that
/// of a sample, empty for one run; a column of published values is there if any row has one.
std::string to_csv(const ScoreTable& table);
/// What people read: cells like "83.5 ± 0.4", and below the table what the numbers are and where
/// published values come from.
struct ReadableTable {
  std::vector<std::string> header;
  std::size_t names = 0;  // columns that are names, not numbers
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> notes;
};
ReadableTable readable(const ScoreTable& table);

/// The same with a heading.
std::string to_markdown(const ScoreTable& table);

}  // namespace opencd::cli
