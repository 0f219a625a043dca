#include "opencd/grouping/spectral.hpp"

#include "error.hpp"
#include "support/compare.hpp"
#include "support/method_golden.hpp"

#include <doctest/doctest.h>

#include <cmath>

namespace opencd::test {

TEST_SUITE_BEGIN("opencd/grouping/spectral");

TEST_CASE("the embedding is that of scikit-learn") {
  bool compared = false;
  for (const auto& golden : method_golden("spectral")) {
    if (!golden.contains("embedding")) continue;
    const std::vector<double> expected = golden["embedding"];
    const std::vector<double> actual =
        SpectralGraph(golden_graph(golden["graph"])).embedding(golden["groups"]);
    CHECK_CLOSE(actual, expected, 1e-8, 1e-10);
    compared = true;
  }
  CHECK(compared);
}

TEST_CASE("groups are those of scikit-learn where the graph has groups") {
  for (const auto& golden : method_golden("spectral")) {
    const std::string name = golden["graph"];
    if (name == "random" || name == "sparse") continue;  // k-means has many optima there
    CAPTURE(name);
    const std::vector<std::int32_t> labels = golden["labels"];
    CHECK_EQ(spectral(golden_graph(name), {.groups = golden["groups"]}), number_groups(labels));
  }
}

TEST_CASE("groups do not depend on the seed where the graph has groups") {
  for (std::uint32_t seed = 1; seed < 20; ++seed) {
    CHECK_EQ(spectral(golden_graph("clear"), {.groups = 10, .seed = seed}), planted_groups(50, 10));
    CHECK_EQ(spectral(golden_graph("loops"), {.groups = 6, .seed = seed}), planted_groups(60, 6));
  }
}

TEST_CASE("prototypes without any affinity do not take a group each") {
  const Grouping grouping = spectral(golden_graph("isolated"), {.groups = 6});
  CHECK_EQ(grouping.groups, 6);
  const std::vector<double> rows = SpectralGraph(golden_graph("isolated")).embedding(6);
  for (std::size_t i = 45 * 6; i < 48 * 6; ++i) CHECK(std::abs(rows[i]) < 1e-12);
}

TEST_CASE("one group holds all, and as many groups as prototypes are single") {
  const AffinityMatrix affinity = golden_graph("random");
  CHECK_EQ(spectral(affinity, {.groups = 1}), planted_groups(60, 1));
  CHECK_EQ(spectral(affinity, {.groups = 60}), single_groups(60));
}

TEST_CASE("numbers of groups that cannot be are refused") {
  const AffinityMatrix affinity = golden_graph("clear");
  CHECK_THROWS_AS(spectral(affinity, {.groups = 51}), UsageError);
  CHECK_THROWS_AS(spectral(affinity, {.groups = 0}), UsageError);
}

TEST_SUITE_END();

}  // namespace opencd::test
