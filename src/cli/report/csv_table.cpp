#include "cli/report/csv_table.hpp"

#include "data/file.hpp"
#include "error.hpp"

#include <algorithm>
#include <charconv>

namespace opencd::cli::report {

namespace {

std::string take_plain(std::string_view text, std::size_t& at) {
  const std::size_t begin = at;
  at = std::min(text.find_first_of(",\r\n", at), text.size());
  return std::string(text.substr(begin, at - begin));
}

std::string take_quoted(std::string_view text, std::size_t& at, const std::string& name) {
  std::string cell;
  for (++at; at < text.size(); ++at) {
    if (text[at] == '"' && text.substr(++at, 1) != "\"") return cell;
    cell += text[at];
  }
  fail<FormatError>("[csv] {}: a quote is not closed", name);
}

/// One cell from `at` on, which then stands behind it.
std::string take_cell(std::string_view text, std::size_t& at, const std::string& name) {
  std::string cell =
      text.substr(at, 1) == "\"" ? take_quoted(text, at, name) : take_plain(text, at);
  const bool guarded = cell.size() > 1 && cell.front() == '\'' &&
                       std::string_view("=+-@\t\r").find(cell[1]) != std::string_view::npos;
  if (guarded) cell.erase(0, 1);
  return cell;
}

std::vector<std::string> take_line(std::string_view text,
                                   std::size_t& at,
                                   const std::string& name) {
  std::vector<std::string> cells = {take_cell(text, at, name)};
  while (at < text.size() && text[at] == ',') cells.push_back(take_cell(text, ++at, name));
  if (text.substr(at, 2) == "\r\n") ++at;
  if (at < text.size() && text[at] != '\n')
    fail<FormatError>("[csv] {}: text behind a quoted cell, at byte {}", name, at);
  return cells;
}

}  // namespace

std::size_t CsvTable::column(std::string_view title) const {
  const auto found = std::find(header.begin(), header.end(), title);
  if (found == header.end()) fail<FormatError>("[csv] {} has no column {}", name, title);
  return static_cast<std::size_t>(found - header.begin());
}

CsvTable parse_csv(std::string_view text, const std::string& name) {
  std::size_t at = 0;
  CsvTable table{name, take_line(text, at, name), {}};
  while (at < text.size()) {
    if (++at == text.size()) break;
    table.rows.push_back(take_line(text, at, name));
    if (table.rows.back().size() != table.header.size())
      fail<FormatError>("[csv] {}, line {}: expected {} cells, got {}", name, table.rows.size() + 1,
                        table.header.size(), table.rows.back().size());
  }
  return table;
}

double number_in(const CsvTable& table, const std::string& cell) {
  double value = 0.0;
  const char* end = cell.data() + cell.size();
  const auto [stop, error] = std::from_chars(cell.data(), end, value);
  if (error != std::errc{} || stop != end)
    fail<FormatError>("[csv] {}: expected a number, got \"{}\"", table.name,
                      data::display_text(cell));
  return value;
}

}  // namespace opencd::cli::report
