#include "cli/compare/tables.hpp"

#include "opencd/published.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace opencd::cli {

namespace {

/// What was published for a row; empty where nothing was.
std::string published_cell(const ScoreRow& row, std::size_t column) {
  return row.published.empty() ? "" : row.published[column];
}

/// The columns for which something was published, of any row.
std::vector<std::size_t> published_columns(const ScoreTable& table) {
  std::vector<std::size_t> columns;
  for (std::size_t c = 0; c < table.columns.size(); ++c)
    if (std::any_of(table.rows.begin(), table.rows.end(),
                    [&](const ScoreRow& row) { return !published_cell(row, c).empty(); }))
      columns.push_back(c);
  return columns;
}

/// The methods whose known classes are matched, each once.
std::vector<std::string> matched_names(const ScoreTable& table) {
  std::vector<std::string> names;
  for (const ScoreRow& row : table.rows)
    if (row.rule == KnownRule::matched &&
        std::find(names.begin(), names.end(), row.names.back()) == names.end())
      names.push_back(row.names.back());
  return names;
}

bool is_incomplete(const ScoreTable& table) {
  return std::any_of(table.rows.begin(), table.rows.end(),
                     [](const ScoreRow& row) { return row.missing > 0; });
}

std::string readable_cell(const ScoreRow& row, const ScoreColumn& column) {
  const MeanDeviation m = summarise(row, column);
  if (m.count == 0) return "–";
  if (m.count == 1) return fmt::format("{:.1f}", m.mean);
  return fmt::format("{:.1f} ± {:.1f}", m.mean, m.deviation);
}

std::string markdown_line(const std::vector<std::string>& cells) {
  return fmt::format("| {} |\n", fmt::join(cells, " | "));
}

std::vector<std::string> csv_cells(const ScoreTable& table,
                                   const ScoreRow& row,
                                   const std::vector<std::size_t>& published) {
  std::vector<std::string> cells = row.names;
  cells.push_back(std::to_string(row.runs.size()));
  for (const ScoreColumn& column : table.columns) {
    const MeanDeviation m = summarise(row, column);
    cells.push_back(m.count > 0 ? fmt::format("{:.4f}", m.mean) : "");
    cells.push_back(m.count > 1 ? fmt::format("{:.4f}", m.deviation) : "");
  }
  for (const std::size_t c : published) cells.push_back(published_cell(row, c));
  return cells;
}

}  // namespace

MeanDeviation summarise(const ScoreRow& row, const ScoreColumn& column) {
  std::vector<double> values;
  values.reserve(row.runs.size());
  for (const RunScores& run : row.runs) values.push_back(column.factor * run.*column.score);
  return mean_deviation(values);
}

std::optional<RunScores> read_scores(const nlohmann::ordered_json& summary, KnownRule rule) {
  try {
    const auto& orca = summary.at("orca");
    const auto& known = rule == KnownRule::named ? orca : summary.at("gcd_v1");
    return RunScores{known.at("known").get<double>(), orca.at("novel").get<double>(),
                     orca.at("all").get<double>(), summary.at("nmi").get<double>(),
                     summary.at("classes_found").get<double>()};
  } catch (const nlohmann::ordered_json::exception&) {
    return std::nullopt;
  }
}

std::vector<ScoreColumn> accuracy_columns() {
  return {{"known", &RunScores::known},
          {"novel", &RunScores::novel},
          {"all", &RunScores::all},
          {"classes", &RunScores::classes, 1.0}};
}

std::vector<ScoreColumn> count_columns() {
  return {
      {"classes", &RunScores::classes, 1.0}, {"all", &RunScores::all}, {"nmi", &RunScores::nmi}};
}

std::string to_csv(const ScoreTable& table) {
  const std::vector<std::size_t> published = published_columns(table);
  std::vector<std::string> header = table.headers;
  header.emplace_back("runs");
  for (const ScoreColumn& column : table.columns) {
    header.push_back(column.name + "_mean");
    header.push_back(column.name + "_deviation");
  }
  for (const std::size_t c : published) header.push_back(table.columns[c].name + "_published");
  std::string text = fmt::format("{}\n", fmt::join(header, ","));
  for (const ScoreRow& row : table.rows)
    text += fmt::format("{}\n", fmt::join(csv_cells(table, row, published), ","));
  return text;
}

ReadableTable readable(const ScoreTable& table) {
  const std::vector<std::size_t> published = published_columns(table);
  ReadableTable text{table.headers, table.headers.size(), {}, {}};
  for (const ScoreColumn& column : table.columns) text.header.push_back(column.name);
  for (const std::size_t c : published)
    text.header.push_back(table.columns[c].name + ", published");
  text.header.emplace_back("runs");
  for (const ScoreRow& row : table.rows) {
    std::vector<std::string> cells = row.names;
    for (const ScoreColumn& column : table.columns) cells.push_back(readable_cell(row, column));
    for (const std::size_t c : published) {
      const std::string cell = published_cell(row, c);
      cells.push_back(cell.empty() ? "–" : cell);
    }
    cells.push_back(row.missing == 0
                        ? std::to_string(row.runs.size())
                        : fmt::format("{} of {}", row.runs.size(), row.runs.size() + row.missing));
    text.rows.push_back(std::move(cells));
  }
  text.notes.emplace_back(
      "Percent by ORCA's protocol on unlabelled training rows; mean ± deviation over seeds.");
  if (const std::vector<std::string> matched = matched_names(table); !matched.empty())
    text.notes.push_back(
        fmt::format("Known of {}: by the best matching of groups and known classes, because "
                    "these methods name none.",
                    fmt::join(matched, ", ")));
  if (!published.empty())
    text.notes.push_back(
        fmt::format("Published: {}, quoted; not measured here. Backbone and training are theirs.",
                    kPublishedSource));
  if (is_incomplete(table))
    text.notes.emplace_back("Some runs are missing: they failed or are not done yet.");
  text.notes.insert(text.notes.end(), table.notes.begin(), table.notes.end());
  return text;
}

std::string to_markdown(const ScoreTable& table) {
  const ReadableTable text = readable(table);
  std::vector<std::string> rule(text.header.size(), "---:");
  std::fill_n(rule.begin(), text.names, "---");
  std::string markdown =
      fmt::format("## {}\n\n", table.title) + markdown_line(text.header) + markdown_line(rule);
  for (const std::vector<std::string>& row : text.rows) markdown += markdown_line(row);
  return markdown + fmt::format("\n{}\n", fmt::join(text.notes, "\n"));
}

}  // namespace opencd::cli
