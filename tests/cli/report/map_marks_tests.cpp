#include "cli/report/map_marks.hpp"

#include "cli/report/map_panels.hpp"
#include "support/message.hpp"

#include <set>

namespace opencd::test {

using namespace cli::report;

namespace {

std::vector<MapPoint> points_at(const std::vector<std::pair<double, double>>& places) {
  std::vector<MapPoint> points;
  for (const auto& [x, y] : places) points.push_back({x, y, 0, 0});
  return points;
}

std::set<std::pair<std::size_t, std::size_t>> links_of(
    const std::vector<std::pair<double, double>>& places) {
  std::set<std::pair<std::size_t, std::size_t>> links;
  for (const auto& [a, b] : shortest_links(points_at(places)))
    links.emplace(std::min(a, b), std::max(a, b));
  return links;
}

}  // namespace

TEST_SUITE_BEGIN("cli/report/map_marks");

TEST_CASE("links are a tree of the least length") {
  using Links = std::set<std::pair<std::size_t, std::size_t>>;
  CHECK_EQ(links_of({}), Links{});
  CHECK_EQ(links_of({{1, 1}}), Links{});
  CHECK_EQ(links_of({{0, 0}, {10, 0}, {1, 0}, {11, 1}, {5, 0}}),
           Links{{0, 2}, {2, 4}, {1, 4}, {1, 3}});
  CHECK_EQ(links_of({{2, 2}, {2, 2}, {2, 2}}).size(), 2);  // in one place
}

TEST_CASE("the prototypes of a group are linked, a single one is not") {
  const std::string two = prototype_marks(points_at({{10, 10}, {40, 20}})).html();
  CHECK_CONTAINS(two, "class=\"links\" d=\"M10 10L40 20\"");
  CHECK_CONTAINS(two, "class=\"prototypes\"");
  CHECK_EQ(count_of(two, "z"), 2);
  const std::string one = prototype_marks(points_at({{10, 10}})).html();
  CHECK_FALSE(contains(one, "links"));
  CHECK_CONTAINS(one, "class=\"prototypes\"");
  CHECK(prototype_marks({}).empty());
}

TEST_CASE("a map fits its frame, turned if it lies otherwise, and keeps its proportions") {
  const FeatureMap tall{points_at({{0, 0}, {1, 0}, {0, 4}}), {}, {}};
  const FeatureMap turned = placed(tall, 1000, 680);
  CHECK_GT(std::abs(turned.rows[2].x - turned.rows[0].x),
           3.9 * std::abs(turned.rows[1].y - turned.rows[0].y));
  const FeatureMap square = placed(tall, 480, 480);
  CHECK_EQ(square.rows[2].x, square.rows[0].x);  // not turned
  for (const MapPoint& point : square.rows) {
    CHECK_GE(point.y, 16.0 - 1e-9);
    CHECK_LE(point.y, 480.0 - 16.0 + 1e-9);
  }
}

TEST_CASE("panels have rows in the colour of their class and groups in that of their match") {
  RunRecord run{.name = "opencd-paper-0"};
  run.classes = {{.name = "a<b", .known = true, .group = 1}, {.name = "c", .group = 0}};
  run.groups = {{.group = 0, .name = "group 0"}, {.group = 1, .name = "a<b"}};
  run.rows = {{.row = 7, .cls = 1, .group = 0}, {.row = 9, .cls = 0, .group = 0}};
  FeatureMap map{{{0, 0, 7, 0}, {1, 1, 9, 0}}, {{0, 1, 0, 0}, {1, 0, 1, 0}, {2, 2, 2, 1}}, {}};
  const std::string html = map_panels({{&run, map}, {&run, map}}).html();
  CHECK_EQ(count_of(html, "<svg"), 2);
  CHECK_EQ(count_of(html, "class=\"legend\""), 1);
  CHECK_EQ(count_of(html, "class=\"dots s1\""), 2);
  CHECK_CONTAINS(html, "<g class=\"s1\"><title>group 0: 2 prototypes</title>");
  CHECK_CONTAINS(html, "<g class=\"s0\"><title>a&lt;b: 1 prototypes</title>");
  CHECK_CONTAINS(html, "c (novel)");
  CHECK_EQ(count_of(html, "class=\"links\""), 2);  // of group 0 alone
  CHECK_FALSE(contains(html, " id="));             // two panels may not share one
}

TEST_SUITE_END();

}  // namespace opencd::test
