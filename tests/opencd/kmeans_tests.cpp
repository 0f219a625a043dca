#include "opencd/kmeans.hpp"

#include "support/compare.hpp"
#include "support/matrices.hpp"
#include "support/method_golden.hpp"

#include <algorithm>
#include <limits>
#include <set>

namespace opencd::test {

namespace {

KMeansResult cluster(const std::vector<float>& rows,
                     std::size_t columns,
                     const KMeansOptions& options) {
  const nn::Engine engine(test_device());
  const auto src = kernels::to_device(test_device(), rows);
  return kmeans(engine, src.rows(rows.size() / columns, columns), options);
}

KMeansResult run_semi_supervised(const std::vector<float>& rows,
                                 std::size_t columns,
                                 const std::vector<std::int32_t>& classes,
                                 const KMeansOptions& options) {
  const nn::Engine engine(test_device());
  const auto src = kernels::to_device(test_device(), rows);
  return semi_supervised_kmeans(engine, src.rows(classes.size(), columns), classes, options);
}

double squared_distance(const float* x, const float* y, std::size_t columns) {
  double sum = 0.0;
  for (std::size_t c = 0; c < columns; ++c) sum += std::pow(static_cast<double>(x[c]) - y[c], 2.0);
  return sum;
}

std::size_t different(const std::vector<std::int32_t>& clusters) {
  return std::set<std::int32_t>(clusters.begin(), clusters.end()).size();
}

const nlohmann::json kBlobs = {
    {"seed", 9}, {"rows", 1003}, {"columns", 19}, {"blocks", 7}, {"spread", 0.2}};

}  // namespace

TEST_SUITE_BEGIN("opencd/kmeans");

TEST_CASE("inertia is no worse than scikit-learn's at equal starts, in the mean over seeds") {
  constexpr std::uint32_t seeds = 20;  // one seed may be lucky or not, on both sides
  for (const auto& golden : method_golden("kmeans")) {
    const std::size_t clusters = golden["clusters"];
    CAPTURE(golden["seed"].get<int>());
    CAPTURE(clusters);
    const std::vector<float> rows = planted_rows(golden);
    double mean = 0.0;
    for (std::uint32_t seed = 0; seed < seeds; ++seed)
      mean +=
          cluster(rows, golden["columns"], {.clusters = clusters, .seed = seed}).inertia / seeds;
    CHECK_LE(mean, golden["mean"].get<double>() * 1.001);
    CHECK_GE(mean, golden["best"].get<double>() * 0.99);  // else it is no inertia
  }
}

TEST_CASE("rows are with their nearest centre, centres are means, inertia is what they say") {
  const std::vector<float> rows = planted_rows(kBlobs);
  const std::size_t columns = 19;
  const KMeansResult result = cluster(rows, columns, {.clusters = 5, .tolerance = 0.0});
  std::vector<double> means(result.centres.size(), 0.0);
  std::vector<double> sizes(5, 0.0);
  double inertia = 0.0;
  for (std::size_t row = 0; row < result.cluster_of.size(); ++row) {
    const float* x = &rows[row * columns];
    const auto cluster = static_cast<std::size_t>(result.cluster_of[row]);
    const double own = squared_distance(x, &result.centres[cluster * columns], columns);
    for (std::size_t other = 0; other < 5; ++other)
      CHECK_LE(own, squared_distance(x, &result.centres[other * columns], columns) + 1e-5);
    inertia += own;
    sizes[cluster] += 1.0;
    for (std::size_t c = 0; c < columns; ++c) means[cluster * columns + c] += x[c];
  }
  for (std::size_t i = 0; i < means.size(); ++i) means[i] /= sizes[i / columns];
  CHECK_CLOSE(result.centres, means, .rtol = 1e-5, .atol = 1e-5);
  CHECK_EQ(result.inertia, doctest::Approx(inertia).epsilon(1e-5));
}

TEST_CASE("planted blocks are found, wherever the origin lies") {
  for (const double offset : {0.0, -300.0}) {
    nlohmann::json spec = kBlobs;
    spec["offset"] = offset;
    const KMeansResult result = cluster(planted_rows(spec), 19, {.clusters = 7});
    CHECK_EQ(different(result.cluster_of), 7);
    for (std::size_t row = 0; row < 1003; ++row)
      CHECK_EQ(result.cluster_of[row], result.cluster_of[row % 7]);
  }
}

TEST_CASE("the same seed gives the same bits, more starts never a larger inertia") {
  const std::vector<float> rows = planted_rows(kBlobs);
  const KMeansResult first = cluster(rows, 19, {.clusters = 20, .starts = 2, .seed = 3});
  const KMeansResult second = cluster(rows, 19, {.clusters = 20, .starts = 2, .seed = 3});
  CHECK(first.cluster_of == second.cluster_of);
  CHECK(first.centres == second.centres);
  CHECK_EQ(first.inertia, second.inertia);
  double before = std::numeric_limits<double>::infinity();
  for (const int starts : {1, 2, 4, 8}) {
    const double inertia = cluster(rows, 19, {.clusters = 20, .starts = starts, .seed = 3}).inertia;
    CHECK_LE(inertia, before * (1.0 + 1e-6));
    before = inertia;
  }
}

TEST_CASE("as many clusters as rows cost nothing, and spare clusters stay empty") {
  const KMeansResult each = cluster({5, 1, 3, 2, 4}, 1, {.clusters = 5});
  CHECK_EQ(different(each.cluster_of), 5);
  CHECK_LE(each.inertia, 1e-9);
  const KMeansResult spare = cluster({1, 1, 1, 2, 2, 2}, 1, {.clusters = 4});
  CHECK_EQ(different(spare.cluster_of), 2);
  CHECK_LE(spare.inertia, 1e-9);
  CHECK_EQ(cluster({7.5f}, 1, {.clusters = 1}).centres[0], 7.5f);
}

TEST_CASE("unlabelled rows far from the labelled ones get the open cluster") {
  const std::vector<float> rows = {0, 0.1f, 0.2f, 9, 9.1f};
  const KMeansResult result =
      run_semi_supervised(rows, 1, {0, 0, 0, -1, -1}, {.clusters = 2, .starts = 1});
  CHECK(result.cluster_of == std::vector<std::int32_t>{0, 0, 0, 1, 1});
}

TEST_CASE("labelled rows stay with their class, and classes keep their index") {
  const std::vector<float> rows = planted_rows(kBlobs);
  std::vector<std::int32_t> classes(1003, -1);
  for (std::size_t row = 0; row < 1003; ++row)  // every third row of four blocks is labelled
    if (row % 7 < 4 && row % 3 == 0) classes[row] = static_cast<std::int32_t>(row % 7);
  classes[5] = 0;  // block 5: a wrong label is kept all the same
  const KMeansResult result = run_semi_supervised(rows, 19, classes, {.clusters = 7});
  for (std::size_t row = 0; row < 1003; ++row) {
    if (classes[row] >= 0) {
      CHECK_EQ(result.cluster_of[row], classes[row]);
    } else if (row % 7 < 4) {
      CHECK_EQ(result.cluster_of[row], static_cast<std::int32_t>(row % 7));
    } else {
      CHECK_GE(result.cluster_of[row], 4);
      CHECK_EQ(result.cluster_of[row], result.cluster_of[row % 7 + (row % 7 == 5 ? 7 : 0)]);
    }
  }
  CHECK_EQ(different(result.cluster_of), 7);
}

TEST_CASE("with a label in every cluster nothing is drawn, and the seed does not matter") {
  const std::vector<float> rows = planted_rows(kBlobs);
  std::vector<std::int32_t> classes(1003, -1);
  for (std::int32_t row = 0; row < 7; ++row) classes[static_cast<std::size_t>(row)] = row;
  const KMeansResult first = run_semi_supervised(rows, 19, classes, {.clusters = 7, .seed = 1});
  const KMeansResult second = run_semi_supervised(rows, 19, classes, {.clusters = 7, .seed = 2});
  CHECK(first.cluster_of == second.cluster_of);
  for (std::size_t row = 0; row < 1003; ++row)
    CHECK_EQ(first.cluster_of[row], static_cast<std::int32_t>(row % 7));
}

TEST_CASE("clusters, classes and rows that cannot be are refused") {
  const std::vector<float> rows = {1, 2, 3};
  CHECK_THROWS_AS(cluster(rows, 1, {.clusters = 4}), UsageError);
  CHECK_THROWS_AS(cluster(rows, 1, {.clusters = 0}), UsageError);
  CHECK_THROWS_AS(cluster(rows, 1, {.clusters = 1, .starts = 0}), UsageError);
  CHECK_THROWS_AS(run_semi_supervised(rows, 1, {0, 2, -1}, {.clusters = 2}), UsageError);
  CHECK_THROWS_AS(cluster({1, std::numeric_limits<float>::quiet_NaN(), 3}, 1, {.clusters = 2}),
                  NonFiniteError);
}

TEST_SUITE_END();

}  // namespace opencd::test
