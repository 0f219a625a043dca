// CSV files of a run, as a report reads them. Every accepted row is as long as the header, and numbers are read or refused.
#include "cli/report/csv_table.hpp"
#include "fuzz.hpp"

using namespace opencd;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  return fuzz::try_to([&] {
    const cli::report::CsvTable table = cli::report::parse_csv(text, fuzz::kName);
    if (table.header.empty()) __builtin_trap();
    for (const std::vector<std::string>& row : table.rows)
      if (row.size() != table.header.size()) __builtin_trap();
    if (table.column(table.header.back()) >= table.header.size()) __builtin_trap();
    for (const std::vector<std::string>& row : table.rows)
      fuzz::try_to([&] { cli::report::number_in(table, row.front()); });
  });
}
