#include "cli/compare/page.hpp"

#include "cli/report/comparison.hpp"
#include "cli/report/line_chart.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace opencd::cli {

namespace {

using report::Markup;
using report::plain_table;
using report::tag;

Markup table_markup(const ReadableTable& table) {
  const auto cell = [&](const char* name, const std::string& text, std::size_t column) {
    return tag(name, {{"class", column < table.names ? "name" : "number"}}, text);
  };
  Markup head, body, notes;
  for (std::size_t c = 0; c < table.header.size(); ++c) head += cell("th", table.header[c], c);
  for (const std::vector<std::string>& row : table.rows) {
    Markup line;
    for (std::size_t c = 0; c < row.size(); ++c) line += cell("td", row[c], c);
    body += tag("tr", {}, line);
  }
  for (const std::string& note : table.notes) {
    if (!notes.empty()) notes += report::void_tag("br", {});
    notes += note;
  }
  return plain_table(head, body) + tag("p", {{"class", "note"}}, notes);
}

/// The value of every row of a sweep, each once and in their order.
std::vector<std::string> swept_values(const ScoreTable& table) {
  std::vector<std::string> values;
  for (const ScoreRow& row : table.rows)
    if (std::find(values.begin(), values.end(), row.names[0]) == values.end())
      values.push_back(row.names[0]);
  return values;
}

/// Appends a point to the series of that name.
void add_point(std::vector<report::Series>& series,
               const std::string& name,
               std::pair<double, double> point) {
  auto found = std::find_if(series.begin(), series.end(),
                            [&](const report::Series& line) { return line.name == name; });
  if (found == series.end()) found = series.insert(found, {name, {}, series.size()});
  found->points.push_back(point);
}

/// Accuracies over the values of a sweep: one chart with a line a score where there is one method, else
/// one a score with a line a method.
Markup sweep_charts(const ScoreTable& table) {
  const std::vector<std::string> values = swept_values(table);
  const bool one_method = values.size() == table.rows.size();
  std::vector<std::pair<std::string, std::vector<report::Series>>> charts;
  for (const ScoreColumn& column : table.columns) {
    if (column.factor != 100.0) continue;  // the number of classes
    if (charts.empty() || !one_method)
      charts.emplace_back(one_method ? table.rows.front().names[1] : column.name,
                          std::vector<report::Series>{});
    for (const ScoreRow& row : table.rows) {
      const MeanDeviation m = summarise(row, column);
      const auto place = std::find(values.begin(), values.end(), row.names[0]) - values.begin();
      if (m.count > 0)
        add_point(charts.back().second, one_method ? column.name : row.names[1],
                  {static_cast<double>(place), m.mean});
    }
  }
  Markup drawn;
  for (const auto& [title, series] : charts)
    drawn += report::line_chart(series, {.title = title,
                                         .x_label = table.headers[0],
                                         .y_label = "%",
                                         .low = 0.0,
                                         .high = 100.0,
                                         .x_names = values});
  return tag("div", {{"class", "charts"}}, drawn);
}

}  // namespace

report::Document comparison_page(const std::string& data,
                                 const std::vector<ScoreTable>& tables,
                                 const ComparisonFigures& figures) {
  const std::vector<report::RunRecord>& runs = figures.runs;
  report::Document page{.title = "Comparison on " + data,
                        .header = tag("p", {{"class", "subtitle"}},
                                      fmt::format("{} table{}, {} run{} done", tables.size(),
                                                  tables.size() == 1 ? "" : "s", runs.size(),
                                                  runs.size() == 1 ? "" : "s")),
                        .sections = {}};
  for (const ScoreTable& table : tables)
    page.sections.push_back(
        {table.file, table.title,
         (table.is_sweep ? sweep_charts(table) : Markup()) + table_markup(readable(table))});
  if (!figures.evolutions.empty())
    page.sections.push_back(
        {"group-evolution", "Groups over epochs",
         tag("p", {},
             "How many groups the prototypes form while the number of classes is searched for: a "
             "line a seed.") +
             evolution_charts(figures.evolutions)});
  if (!figures.maps.empty())
    page.sections.push_back(
        {"maps", "Maps of features",
         tag("p", {},
             "Unlabelled rows by t-SNE in the space where the method compares, in the colour of "
             "their true class. Diamonds are prototypes, or centres of k-means, in the colour of "
             "the class that their group was matched with; lines link the prototypes of a group.") +
             report::map_panels(figures.maps)});
  if (runs.empty()) return page;
  for (report::Section& section : report::comparison_page(runs).sections)
    page.sections.push_back(std::move(section));
  return page;
}

}  // namespace opencd::cli
