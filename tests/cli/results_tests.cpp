// The tables of docs/RESULTS.md are those that the runs in docs/results make.
#include "support/message.hpp"
#include "support/program.hpp"
#include "support/test_data.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <sstream>

namespace opencd::test {

TEST_SUITE_BEGIN("cli/results");

TEST_CASE("every row of a table in docs/RESULTS.md can be made again from the runs behind it") {
  const std::filesystem::path docs = source_folder() / "docs";
  const std::string results = text_of(docs / "RESULTS.md");
  std::size_t rows = 0;
  for (const auto& entry : std::filesystem::directory_iterator(docs / "results")) {
    CAPTURE(entry.path().string());
    const ProcessResult made = opencd({"compare", "--from", entry.path().string()});
    REQUIRE_EQ(made.exit_code, 0);
    CHECK_EQ(count_of(made.out, "NOT ALL OF ONE"), 0);  // commit or machine
    std::istringstream lines(made.out);
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with("| ")) continue;
      ++rows;
      CHECK_CONTAINS(results, line + "\n");
    }
  }
  CHECK_GT(rows, 10);
}

TEST_SUITE_END();

}  // namespace opencd::test
