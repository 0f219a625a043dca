#include "cli/compare/page.hpp"

#include "support/message.hpp"

#include <doctest/doctest.h>

namespace opencd::test {

namespace {

using cli::ScoreTable;

std::string page_of(const ScoreTable& table) {
  const std::vector<cli::report::RunRecord> none;
  return cli::report::to_html(cli::comparison_page("cifar-10", {table}, {none, {}, {}}));
}

ScoreTable sweep() {
  return {"sweep-prototypes",
          "Sweep of prototypes",
          {"prototypes", "method"},
          cli::accuracy_columns(),
          {{{"10", "opencd"}, {{0.80, 0.5, 0.6, 0.4, 9}, {0.82, 0.5, 0.7, 0.4, 11}}, 0, {}},
           {{"50", "opencd"}, {{0.75, 0.25, 0.5, 0.3, 10}}, 1, {}},
           {{"300", "opencd"}, {}, 2, {}}},
          true};
}

}  // namespace

TEST_SUITE_BEGIN("cli/compare/page");

TEST_CASE("a sweep of one method is one chart with a line a score, and a table") {
  const std::string html = page_of(sweep());
  CHECK_EQ(count_of(html, "<svg"), 1);
  CHECK_EQ(count_of(html, "class=\"line\""), 3);
  CHECK_CONTAINS(html, "known: 81 at prototypes 10");
  CHECK_CONTAINS(html, "all: 50 at prototypes 50");
  CHECK_CONTAINS(html, "81.0 ± 1.4");
  CHECK_CONTAINS(html, "Some runs are missing");
}

TEST_CASE("a sweep of several methods is a chart a score with a line a method") {
  ScoreTable table = sweep();
  table.rows.push_back({{"10", "gcd"}, {{0.5, 0.4, 0.3, 0.2, 10}}, 0, {}});
  table.rows.push_back({{"50", "gcd"}, {{0.6, 0.4, 0.3, 0.2, 10}}, 0, {}});
  const std::string html = page_of(table);
  CHECK_EQ(count_of(html, "<svg"), 3);
  CHECK_EQ(count_of(html, "class=\"line\""), 6);
  CHECK_CONTAINS(html, "gcd: 60 at prototypes 50");
}

TEST_CASE("other tables have no chart, and a sweep without runs says so") {
  ScoreTable table = sweep();
  table.is_sweep = false;
  CHECK_EQ(count_of(page_of(table), "<svg"), 0);
  table.is_sweep = true;
  for (cli::ScoreRow& row : table.rows) row.runs.clear();
  CHECK_CONTAINS(page_of(table), "Nothing was recorded");
}

TEST_CASE("numbers of groups and maps have sections of their own, if there are any") {
  const std::vector<cli::report::RunRecord> runs = {{.name = "opencd-paper-0"}};
  const auto page = [&](std::vector<cli::GroupEvolution> evolutions,
                        std::vector<cli::report::MapPanel> maps) {
    return cli::report::to_html(cli::comparison_page(
        "cifar-10", {sweep()}, {runs, std::move(evolutions), std::move(maps)}));
  };
  const std::string full =
      page({{"opencd-paper", {{"0", {{0.0, 50.0}, {1.0, 10.0}}}, {"1", {{0.0, 50.0}}}}}},
           {{&runs[0], {{{0.0, 0.0, 3, 0}, {1.0, 1.0, 4, 0}}, {{0.5, 0.5, 0, 0}}, {}}}});
  CHECK_CONTAINS(full, "<section id=\"group-evolution\">");
  CHECK_CONTAINS(full, "seed 0: 10 at epoch 1");
  CHECK_CONTAINS(full, "<section id=\"maps\">");
  CHECK_CONTAINS(full, "2 rows, 1 prototypes in 1 groups");
  const std::string plain = page({}, {});
  CHECK_FALSE(contains(plain, "id=\"group-evolution\""));
  CHECK_FALSE(contains(plain, "id=\"maps\""));
}

TEST_SUITE_END();

}  // namespace opencd::test
