#include "cli/compare/page.hpp"

#include "cli/report/comparison.hpp"

#include <fmt/format.h>

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
  for (const std::string& note : table.notes) notes += tag("p", {{"class", "note"}}, note);
  return plain_table(head, body) + notes;
}

}  // namespace

report::Document comparison_page(const std::string& data,
                                 const std::vector<ScoreTable>& tables,
                                 const std::vector<report::RunRecord>& runs) {
  report::Document page{.title = "Comparison on " + data,
                        .header = tag("p", {{"class", "subtitle"}},
                                      fmt::format("{} table{}, {} run{} done", tables.size(),
                                                  tables.size() == 1 ? "" : "s", runs.size(),
                                                  runs.size() == 1 ? "" : "s")),
                        .sections = {}};
  for (const ScoreTable& table : tables)
    page.sections.push_back({table.file, table.title, table_markup(readable(table))});
  if (runs.empty()) return page;
  for (report::Section& section : report::comparison_page(runs).sections)
    page.sections.push_back(std::move(section));
  return page;
}

}  // namespace opencd::cli
