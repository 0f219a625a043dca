#include "opencd/grouping/louvain.hpp"

#include "error.hpp"
#include "support/method_golden.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

namespace opencd::test {

namespace {

/// Fewest and most groups over twenty seeds.
std::pair<std::size_t, std::size_t> group_counts(const AffinityMatrix& affinity,
                                                 LouvainOptions options) {
  std::pair<std::size_t, std::size_t> counts = {affinity.size(), 0};
  for (options.seed = 0; options.seed < 20; ++options.seed) {
    const std::size_t groups = louvain(affinity, options).groups;
    counts = {std::min(counts.first, groups), std::max(counts.second, groups)};
  }
  return counts;
}

}  // namespace

TEST_SUITE_BEGIN("opencd/grouping/louvain");

TEST_CASE("planted groups are recovered whatever the seed") {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    CHECK_EQ(louvain(golden_graph("clear"), {.seed = seed}), planted_groups(50, 10));
    CHECK_EQ(louvain(golden_graph("disconnected"), {.seed = seed}), planted_groups(40, 8));
    CHECK_EQ(louvain(golden_graph("loops"), {.seed = seed}), planted_groups(60, 6));
  }
}

TEST_CASE("modularity is no worse than that of python-louvain and networkx") {
  for (const auto& golden : method_golden("louvain")) {
    CAPTURE(golden.dump());
    const AffinityMatrix affinity = golden_graph(golden["graph"]);
    const double resolution = golden["resolution"];
    const int starts = affinity.size() > 100 ? 8 : 100;
    const Grouping found = louvain(affinity, {.resolution = resolution, .starts = starts});
    const double value = modularity(affinity, found, resolution);
    CHECK_GE(value, golden["mean"].get<double>() - 1e-12);
    CHECK_GE(value, golden["networkx"].get<double>() - 1e-12);
    CHECK_GE(value, golden["best"].get<double>() - 2e-4);  // their luckiest of twenty seeds
  }
}

TEST_CASE("with its stop test, group counts are those of python-louvain") {
  for (const auto& golden : method_golden("louvain")) {
    CAPTURE(golden.dump());
    const AffinityMatrix affinity = golden_graph(golden["graph"]);
    const auto [fewest, most] = group_counts(
        affinity, {.resolution = golden["resolution"], .stop = LouvainStop::python_louvain});
    constexpr double kLuck = 3.0;  // two samples of twenty differ in their extremes
    CHECK_LE(std::abs(static_cast<double>(fewest) - golden["fewest"].get<double>()), kLuck);
    CHECK_LE(std::abs(static_cast<double>(most) - golden["most"].get<double>()), kLuck);
  }
}

TEST_CASE("below resolution 1 python-louvain's stop test ends early, modularity's does not") {
  const AffinityMatrix affinity = golden_graph("sparse");
  const LouvainOptions textbook{.resolution = 0.3};
  LouvainOptions early = textbook;
  early.stop = LouvainStop::python_louvain;
  CHECK_GT(group_counts(affinity, early).first, group_counts(affinity, textbook).second);
}

TEST_CASE("a growing resolution never gives fewer groups on a planted graph") {
  for (const char* name : {"clear", "disconnected", "loops", "large"}) {
    const AffinityMatrix affinity = golden_graph(name);
    std::size_t before = 0;
    for (double resolution = 0.25; resolution <= 16.0; resolution *= 2.0) {
      const std::size_t groups = louvain(affinity, {.resolution = resolution}).groups;
      CHECK_GE(groups, before);
      before = groups;
    }
  }
}

TEST_CASE("the same seed gives the same groups, and more starts never a smaller modularity") {
  const AffinityMatrix affinity = golden_graph("random");
  CHECK_EQ(louvain(affinity, {.seed = 5}), louvain(affinity, {.seed = 5}));
  double before = -1.0;
  for (int starts = 1; starts <= 8; ++starts) {
    const double value = modularity(affinity, louvain(affinity, {.starts = starts}));
    CHECK_GE(value, before);
    before = value;
  }
}

TEST_CASE("modularity of two triangles joined by an edge is that of the textbook") {
  std::vector<float> weights(36, 0.0f);
  for (const auto& [i, j] : {std::pair{0, 1}, {0, 2}, {1, 2}, {3, 4}, {3, 5}, {4, 5}, {2, 3}})
    weights[static_cast<std::size_t>(i * 6 + j)] = weights[static_cast<std::size_t>(j * 6 + i)] = 1;
  const AffinityMatrix affinity(weights, 6);
  const Grouping triangles{{0, 0, 0, 1, 1, 1}, 2};
  CHECK_EQ(modularity(affinity, triangles), doctest::Approx(6.0 / 7.0 - 0.5));
  CHECK_EQ(modularity(affinity, triangles, 2.0), doctest::Approx(6.0 / 7.0 - 1.0));
  CHECK_EQ(modularity(affinity, {{0, 0, 0, 0, 0, 0}, 1}), doctest::Approx(0.0));
  CHECK_EQ(louvain(affinity, {}), triangles);
}

TEST_CASE("a graph without edges keeps every prototype by itself") {
  const AffinityMatrix affinity(std::vector<double>(25, 0.0), 5);
  CHECK_EQ(louvain(affinity, {}), single_groups(5));
  CHECK_EQ(modularity(affinity, single_groups(5)), 0.0);
  CHECK_EQ(louvain(AffinityMatrix(std::span<const float>(), 0), {}).groups, 0);
}

TEST_CASE("options without meaning are refused") {
  const AffinityMatrix affinity = golden_graph("clear");
  CHECK_THROWS_AS(louvain(affinity, {.resolution = 0.0}), UsageError);
  CHECK_THROWS_AS(louvain(affinity, {.resolution = NAN}), UsageError);
  CHECK_THROWS_AS(louvain(affinity, {.starts = 0}), UsageError);
  CHECK_THROWS_AS(modularity(affinity, single_groups(3)), ShapeError);
}

TEST_SUITE_END();

}  // namespace opencd::test
