// Any CSV file that the program wrote (RFC 4180), read back.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace opencd::cli::report {

struct CsvTable {
  std::string name;  // of the file, for messages
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;  // each as long as the header

  /// The place of a column; FormatError if there is none of that name.
  std::size_t column(std::string_view title) const;
};

/// FormatError unless every line has as many cells as the header. The quote that `csv_cell` puts
/// before what looks like a formula is taken away again.
CsvTable parse_csv(std::string_view text, const std::string& name);

/// A cell as a number; FormatError names the table.
double number_in(const CsvTable& table, const std::string& cell);

}  // namespace opencd::cli::report
