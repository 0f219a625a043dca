#include "cli/report/line_chart.hpp"

#include "support/message.hpp"

#include <cmath>

namespace opencd::test {

using namespace cli::report;

TEST_SUITE_BEGIN("cli/report/line_chart");

TEST_CASE("ticks are round and span the values") {
  CHECK_EQ(axis_ticks(0.0, 1.0, 5), std::vector<double>{0.0, 0.2, 0.4, 0.2 * 3, 0.8, 1.0});
  CHECK_EQ(axis_ticks(3.0, 47.0, 5), std::vector<double>{0.0, 10.0, 20.0, 30.0, 40.0, 50.0});
  for (const auto& [low, high] : std::vector<std::pair<double, double>>{
           {-0.37, 12.9}, {1e-6, 3e-6}, {1e5, 1.1e5}, {-5.0, -4.0}}) {
    const std::vector<double> ticks = axis_ticks(low, high, 5);
    CHECK_LE(ticks.front(), low + 1e-9 * std::abs(low));
    CHECK_GE(ticks.back(), high - 1e-9 * std::abs(high));
    CHECK_GE(ticks.size(), 3);
    CHECK_LE(ticks.size(), 9);
  }
}

TEST_CASE("thinning keeps the mean and the number that was asked for") {
  std::vector<std::pair<double, double>> points;
  for (int i = 0; i < 1000; ++i) points.emplace_back(i, 2.0 * i);
  const auto thin = thinned(points, 100);
  REQUIRE_EQ(thin.size(), 100);
  CHECK_EQ(thin.front().first, 4.5);
  CHECK_EQ(thin.back().second, 2.0 * 994.5);
  CHECK_EQ(thinned(points, 1000), points);
}

TEST_CASE("a chart has a line for every series with points, and escapes their names") {
  const std::string html =
      line_chart({{"a<b", {{0.0, 1.0}, {1.0, 2.0}}, 3}, {"empty", {}, 1}}, {.title = "T&T"}).html();
  CHECK_CONTAINS(html, "<g class=\"s3\"><path class=\"line\" d=\"M");
  CHECK_CONTAINS(html, "a&lt;b: 2 at epoch 1");
  CHECK_CONTAINS(html, "T&amp;T");
  CHECK_FALSE(contains(html, "empty"));
  CHECK_FALSE(contains(html, "nan"));
}

TEST_CASE("one point, equal values and none at all make a chart too") {
  for (const auto& points : std::vector<std::vector<std::pair<double, double>>>{
           {{5.0, 1.0}}, {{0.0, 3.0}, {1.0, 3.0}}}) {
    const std::string html = line_chart({{"x", points, 0}}, {.title = "t"}).html();
    CHECK_CONTAINS(html, "<circle");
    CHECK_FALSE(contains(html, "nan"));
    CHECK_FALSE(contains(html, "inf\""));
  }
  CHECK_CONTAINS(line_chart({}, {.title = "t"}).html(), "Nothing was recorded");
}

TEST_CASE("places on the x axis can have names") {
  const std::string html = line_chart({{"all", {{0.0, 1.0}, {2.0, 2.0}}, 0}},
                                      {.title = "t", .x_label = "K", .x_names = {"5", "50", "<9"}})
                               .html();
  CHECK_CONTAINS(html, ">5</text>");
  CHECK_CONTAINS(html, ">50</text>");
  CHECK_CONTAINS(html, ">&lt;9</text>");
  CHECK_CONTAINS(html, "all: 2 at K &lt;9");
}

TEST_CASE("steps hold until the next value") {
  const std::string html =
      line_chart({{"x", {{0.0, 0.0}, {1.0, 10.0}}, 0}}, {.title = "t", .steps = true}).html();
  CHECK_CONTAINS(html, "d=\"M50 246L506 246L506 12\"");
}

TEST_CASE("equal lines that are drawn apart do not cover each other") {
  const std::vector<Series> twice = {{"a", {{0.0, 5.0}, {1.0, 5.0}}, 0},
                                     {"b", {{0.0, 5.0}, {1.0, 5.0}}, 1}};
  const auto lines = [&](bool apart) {
    const std::string html = line_chart(twice, {.title = "t", .apart = apart}).html();
    std::vector<std::string> paths;
    const std::string mark = "class=\"line\" d=\"";
    for (std::size_t at = html.find(mark); at != std::string::npos; at = html.find(mark, at + 1))
      paths.push_back(html.substr(at, html.find('>', at) - at));
    return paths;
  };
  CHECK_EQ(lines(false).at(0), lines(false).at(1));
  CHECK_NE(lines(true).at(0), lines(true).at(1));
}

TEST_SUITE_END();

}  // namespace opencd::test
