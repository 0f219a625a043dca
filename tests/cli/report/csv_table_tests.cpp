#include "cli/report/csv_table.hpp"

#include "error.hpp"
#include "support/message.hpp"

namespace opencd::test {

using namespace cli::report;

TEST_SUITE_BEGIN("cli/report/csv_table");

TEST_CASE("cells come back as they were, quoted, guarded, empty or over several lines") {
  const CsvTable table =
      parse_csv("a,b,c\r\n1,\"x, \"\"y\"\"\nz\",\n'=1+1,'quoted',-0.5\n", "t.csv");
  CHECK_EQ(table.header, std::vector<std::string>{"a", "b", "c"});
  REQUIRE_EQ(table.rows.size(), 2);
  CHECK_EQ(table.rows[0], std::vector<std::string>{"1", "x, \"y\"\nz", ""});
  CHECK_EQ(table.rows[1], std::vector<std::string>{"=1+1", "'quoted'", "-0.5"});
  CHECK_EQ(table.column("c"), 2);
  CHECK_EQ(number_in(table, table.rows[1][2]), -0.5);
  CHECK(parse_csv("a,b", "t.csv").rows.empty());
}

TEST_CASE("what is no table is refused by its name") {
  const auto message = [](const char* text) {
    return message_of<FormatError>([&] { parse_csv(text, "t.csv"); });
  };
  CHECK_CONTAINS(message("a,b\n1\n"), "t.csv, line 2: expected 2 cells, got 1");
  CHECK_CONTAINS(message("a,b\n\"1\"x,2\n"), "text behind a quoted cell");
  CHECK_CONTAINS(message("a,b\n1,\"open"), "a quote is not closed");
  const CsvTable table = parse_csv("a\nx\n", "t.csv");
  CHECK_CONTAINS(message_of<FormatError>([&] { table.column("b"); }), "no column b");
  CHECK_CONTAINS(message_of<FormatError>([&] { number_in(table, "x"); }), "expected a number");
}

TEST_SUITE_END();

}  // namespace opencd::test
