#include "opencd/grouping/kmeans.hpp"

#include "error.hpp"
#include "opencd/grouping/empty_clusters.hpp"
#include "opencd/grouping/spectral.hpp"
#include "support/method_golden.hpp"
#include "support/random.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

namespace opencd::test {

TEST_SUITE_BEGIN("opencd/grouping/kmeans");

TEST_CASE("inertia is no worse than scikit-learn's at equal starts") {
  for (const auto& golden : method_golden("spectral")) {
    CAPTURE(golden["graph"].get<std::string>());
    const std::size_t groups = golden["groups"];
    const std::vector<double> rows = SpectralGraph(golden_graph(golden["graph"])).embedding(groups);
    const double inertia = row_kmeans(rows, groups, {.clusters = groups}).inertia;
    CHECK_LE(inertia, golden["inertia"].get<double>() * (1.0 + 1e-6) + 1e-20);
  }
}

TEST_CASE("inertia is the sum of squared distances to the means") {
  Random random(3);
  std::vector<double> rows(120);
  for (double& value : rows) value = random.normal();
  const RowKMeansResult result = row_kmeans(rows, 3, {.clusters = 5});
  double expected = 0.0;
  for (std::int32_t cluster = 0; cluster < 5; ++cluster)
    for (std::size_t d = 0; d < 3; ++d) {
      double sum = 0.0;
      double squares = 0.0;
      double count = 0.0;
      for (std::size_t i = 0; i < 40; ++i) {
        if (result.cluster_of[i] != cluster) continue;
        sum += rows[i * 3 + d];
        squares += rows[i * 3 + d] * rows[i * 3 + d];
        count += 1.0;
      }
      CHECK_GT(count, 0.0);
      expected += squares - sum * sum / count;
    }
  CHECK_EQ(result.inertia, doctest::Approx(expected).epsilon(1e-3));  // the last move was small
}

TEST_CASE("as many clusters as rows cost nothing") {
  const std::vector<double> rows = {5, 1, 3, 2, 4};
  const RowKMeansResult result = row_kmeans(rows, 1, {.clusters = 5});
  CHECK_EQ(result.inertia, 0.0);
  CHECK_EQ(std::set<std::int32_t>(result.cluster_of.begin(), result.cluster_of.end()).size(), 5);
}

TEST_CASE("equal rows share a cluster, and spare clusters stay empty") {
  const std::vector<double> rows = {1, 1, 1, 2, 2, 2};
  const RowKMeansResult result = row_kmeans(rows, 1, {.clusters = 4});
  CHECK_EQ(result.inertia, 0.0);
  CHECK_EQ(std::set<std::int32_t>(result.cluster_of.begin(), result.cluster_of.end()).size(), 2);
}

TEST_CASE("empty clusters take the farthest rows, one each, and no row that is at its centre") {
  std::vector<std::int32_t> cluster_of = {0, 0, 0, 2, 2};
  std::vector<std::size_t> sizes = {3, 0, 2, 0, 0};
  fill_empty_clusters(cluster_of, sizes, {0.0, 3.0, 0.0, 0.0, 5.0});
  CHECK(cluster_of == std::vector<std::int32_t>{0, 3, 0, 2, 1});
  CHECK(sizes == std::vector<std::size_t>{2, 1, 1, 1, 0});
}

TEST_CASE("the same seed gives the same clusters, more starts never a larger inertia") {
  Random random(4);
  std::vector<double> rows(400);
  for (double& value : rows) value = random.uniform();
  CHECK_EQ(row_kmeans(rows, 2, {.clusters = 20, .seed = 9}).cluster_of,
           row_kmeans(rows, 2, {.clusters = 20, .seed = 9}).cluster_of);
  double before = 1e9;
  for (int starts = 1; starts < 10; ++starts) {
    const double inertia = row_kmeans(rows, 2, {.clusters = 20, .starts = starts}).inertia;
    CHECK_LE(inertia, before);
    before = inertia;
  }
}

TEST_CASE("clusters that cannot be are refused") {
  const std::vector<double> rows = {1, 2, 3};
  CHECK_THROWS_AS(row_kmeans(rows, 1, {.clusters = 4}), UsageError);
  CHECK_THROWS_AS(row_kmeans(rows, 1, {.clusters = 0}), UsageError);
  CHECK_THROWS_AS(row_kmeans(rows, 2, {.clusters = 1}), ShapeError);
}

TEST_SUITE_END();

}  // namespace opencd::test
