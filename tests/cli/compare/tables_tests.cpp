#include "cli/compare/tables.hpp"

#include "support/message.hpp"

#include <doctest/doctest.h>

namespace opencd::test {

namespace {

using cli::RunScores;
using cli::ScoreTable;

ScoreTable two_methods() {
  return {"methods",
          "Methods",
          {"method"},
          cli::accuracy_columns(),
          {{{"opencd"},
            {{0.80, 0.5, 0.6, 0.4, 9}, {0.82, 0.5, 0.7, 0.4, 11}},
            0,
            {"83.5", "86.7", "85.3", ""}},
           {{"orca"}, {{0.75, 0.25, 0.5, 0.3, 10}}, 1, {}},
           {{"gcd"}, {}, 2, {}}}};
}

}  // namespace

TEST_SUITE_BEGIN("cli/compare/tables");

TEST_CASE("CSV has means, deviations of a sample, and empty cells where there is nothing") {
  CHECK_EQ(
      to_csv(two_methods()),
      "method,runs,known_mean,known_deviation,novel_mean,novel_deviation,all_mean,all_deviation,"
      "classes_mean,classes_deviation,known_published,novel_published,all_published\n"
      "opencd,2,81.0000,1.4142,50.0000,0.0000,65.0000,7.0711,10.0000,1.4142,83.5,86.7,85.3\n"
      "orca,1,75.0000,,25.0000,,50.0000,,10.0000,,,,\n"
      "gcd,0,,,,,,,,,,,\n");
}

TEST_CASE(
    "Markdown shows the same with one digit, says what is missing and whose numbers are whose") {
  CHECK_EQ(
      to_markdown(two_methods()),
      "## Methods\n\n"
      "| method | known | novel | all | classes | known, published | novel, published | "
      "all, published | runs |\n"
      "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n"
      "| opencd | 81.0 ± 1.4 | 50.0 ± 0.0 | 65.0 ± 7.1 | 10.0 ± 1.4 | 83.5 | 86.7 | 85.3 | 2 |\n"
      "| orca | 75.0 | 25.0 | 50.0 | 10.0 | – | – | – | 1 of 2 |\n"
      "| gcd | – | – | – | – | – | – | – | 0 of 2 |\n"
      "\nPercent by ORCA's protocol on unlabelled training rows; mean ± deviation over seeds.\n"
      "Published: Liu et al., IJCAI 2023, quoted; not measured here. Backbone and training are "
      "theirs.\n"
      "Some runs are missing: they failed or are not done yet.\n");
}

TEST_CASE("a table says of which methods known classes were matched") {
  ScoreTable table = two_methods();
  CHECK_EQ(to_markdown(table).find("matching"), std::string::npos);
  table.rows[1].rule = table.rows[2].rule = cli::KnownRule::matched;
  CHECK_CONTAINS(to_markdown(table), "Known of orca, gcd: by the best matching");
}

TEST_CASE("without published values there are no columns for them") {
  ScoreTable table = two_methods();
  table.rows[0].published.clear();
  CHECK_EQ(to_csv(table).find("published"), std::string::npos);
  CHECK_EQ(to_markdown(table).find("ublished"), std::string::npos);
  table.columns = cli::count_columns();
  CHECK_CONTAINS(to_csv(table),
                 "method,runs,classes_mean,classes_deviation,all_mean,all_deviation,"
                 "nmi_mean,nmi_deviation\n");
}

TEST_CASE("scores are read from a summary, if there are any in it") {
  const auto summary = nlohmann::ordered_json::parse(
      R"({"orca": {"known": 0.5, "novel": 0.25, "all": 0.4}, "nmi": 0.3, "classes_found": 7,
          "gcd_v1": {"known": 0.75, "novel": 0.25, "all": 0.5}})");
  const auto scores = cli::read_scores(summary, cli::KnownRule::named);
  REQUIRE(scores.has_value());
  CHECK_EQ(scores->known, 0.5);
  CHECK_EQ(cli::read_scores(summary, cli::KnownRule::matched)->known, 0.75);
  CHECK_EQ(cli::read_scores(summary, cli::KnownRule::matched)->all, 0.4);
  CHECK_EQ(scores->novel, 0.25);
  CHECK_EQ(scores->classes, 7.0);
  CHECK_FALSE(cli::read_scores({{"rows", 5}}, cli::KnownRule::named).has_value());
}

TEST_SUITE_END();

}  // namespace opencd::test
