#include "opencd/counting/gmeans.hpp"
#include "opencd/counting/xmeans.hpp"
#include "support/gaussians.hpp"
#include "support/gmeans_reference.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <map>

namespace opencd::test {

namespace {

struct Counter {
  const char* name;
  decltype(&xmeans) count;
};

constexpr Counter kXMeans = {"xmeans", &xmeans};
constexpr Counter kGMeans = {"gmeans", &gmeans};
constexpr Counter kGMeansSplit = {"gmeans-split", &gmeans_split};
constexpr std::array kCounters = {kXMeans, kGMeans, kGMeansSplit};
constexpr std::array kRightInManyDimensions = {kXMeans, kGMeansSplit};

KMeansResult count(const Counter& counter,
                   const std::vector<float>& rows,
                   std::size_t columns,
                   const GrowthOptions& options) {
  const nn::Engine engine(test_device());
  const auto src = kernels::to_device(test_device(), rows);
  return counter.count(engine, src.rows(rows.size() / columns, columns), options,
                       [](const std::string&, std::size_t, std::size_t) {});
}

std::size_t clusters_in(const KMeansResult& result, std::size_t columns) {
  return result.centres.size() / columns;
}

/// Clusters numbered in the order of their first rows.
std::vector<std::int32_t> by_first_row(const std::vector<std::int32_t>& clusters) {
  std::map<std::int32_t, std::int32_t> number;
  std::vector<std::int32_t> result;
  for (const std::int32_t cluster : clusters)
    result.push_back(
        number.try_emplace(cluster, static_cast<std::int32_t>(number.size())).first->second);
  return result;
}

}  // namespace

TEST_SUITE_BEGIN("opencd/counting/growing_clusters");

TEST_CASE("planted Gaussians are counted right, for several numbers, dimensions and seeds") {
  for (const Counter& counter : kRightInManyDimensions) {
    CAPTURE(counter.name);
    for (const std::size_t clusters : {1, 2, 3, 7, 12})
      for (const std::size_t columns : {1, 2, 16, 40})
        for (const std::uint32_t seed : {1U, 2U, 3U}) {
          CAPTURE(clusters);
          CAPTURE(columns);
          CAPTURE(seed);
          const auto rows = gaussian_rows({.clusters = clusters,
                                           .columns = columns,
                                           .rows_each = 120 + 20 * columns,
                                           .seed = seed});
          const KMeansResult result = count(counter, rows, columns, {.most = 20, .seed = seed});
          CHECK_EQ(clusters_in(result, columns), clusters);
          std::size_t apart = 0;
          for (std::size_t row = 0; row < result.cluster_of.size(); ++row)
            apart += result.cluster_of[row] == result.cluster_of[row % clusters] ? 0 : 1;
          CHECK_EQ(apart, 0);
        }
  }
}

TEST_CASE("there are never more clusters than allowed; the same seed gives the same bits") {
  for (const Counter& counter : kCounters) {
    CAPTURE(counter.name);
    const auto rows = gaussian_rows({.clusters = 9, .columns = 5});
    const KMeansResult few = count(counter, rows, 5, {.most = 4});
    CHECK_LE(clusters_in(few, 5), 4);
    CHECK_GE(clusters_in(few, 5), 3);
    CHECK_EQ(clusters_in(count(counter, rows, 5, {.most = 1}), 5), 1);
    const KMeansResult first = count(counter, rows, 5, {.most = 20, .seed = 8});
    const KMeansResult second = count(counter, rows, 5, {.most = 20, .seed = 8});
    CHECK_EQ(first.cluster_of, second.cluster_of);
    CHECK_EQ(first.centres, second.centres);
  }
}

TEST_CASE("few rows and equal rows are one cluster or as many as there are places") {
  for (const Counter& counter : kCounters) {
    CAPTURE(counter.name);
    CHECK_EQ(clusters_in(count(counter, {1.0f, 2.0f}, 1, {.most = 20}), 1), 1);
    CHECK_EQ(clusters_in(count(counter, std::vector<float>(40, 3.0f), 2, {.most = 20}), 2), 1);
  }
}

TEST_CASE("G-means cuts what is no Gaussian: a square filled evenly") {
  Random random(2);
  std::vector<float> square(4000);
  for (float& value : square) value = static_cast<float>(random.uniform());
  for (const Counter& counter : {kGMeans, kGMeansSplit})
    CHECK_GT(clusters_in(count(counter, square, 2, {.most = 30}), 2), 1);
}

TEST_CASE("G-means as published ends with the clusters of a reference in double precision") {
  for (const auto& [clusters, columns, rows_each] :
       {std::array{1, 2, 400}, {2, 3, 200}, {4, 2, 300}, {7, 5, 150}, {3, 16, 60}, {1, 40, 920}})
    for (const std::uint32_t seed : {1U, 2U}) {
      CAPTURE(clusters);
      CAPTURE(columns);
      CAPTURE(seed);
      const auto width = static_cast<std::size_t>(columns);
      const auto rows = gaussian_rows({.clusters = static_cast<std::size_t>(clusters),
                                       .columns = width,
                                       .rows_each = static_cast<std::size_t>(rows_each),
                                       .seed = seed});
      const std::vector<std::int32_t> expected = reference_gmeans(rows, width);
      const std::vector<std::int32_t> found = count(kGMeans, rows, width, {.most = 100}).cluster_of;
      CHECK_EQ(by_first_row(found), by_first_row(expected));
    }
}

// Where clusters are no lumps, each cut and each start decides where the next ones fall.
TEST_CASE("G-means as published cuts a square and a wedge as the reference does") {
  for (const bool wedge : {false, true})
    for (const std::uint32_t seed : {1U, 2U}) {
      CAPTURE(wedge);
      CAPTURE(seed);
      Random random(seed);
      std::vector<float> rows(3000);
      for (std::size_t i = 0; i < rows.size(); i += 2) {
        rows[i] = static_cast<float>(2.0 * random.uniform());
        rows[i + 1] = static_cast<float>((wedge ? rows[i] : 1.0) * random.uniform());
      }
      const std::vector<std::int32_t> expected = by_first_row(reference_gmeans(rows, 2));
      const std::vector<std::int32_t> found =
          by_first_row(count(kGMeans, rows, 2, {.most = 100}).cluster_of);
      CHECK_GT(*std::ranges::max_element(expected), 3);
      CHECK_EQ(found, expected);
    }
}

TEST_CASE(
    "rows that find a line lie aside of it: only G-means as published cuts one wide Gaussian") {
  const auto rows = gaussian_rows({.clusters = 1, .columns = 200, .rows_each = 1000});
  CHECK_GT(clusters_in(count(kGMeans, rows, 200, {.most = 100}), 200), 1);
  CHECK_EQ(clusters_in(count(kGMeansSplit, rows, 200, {.most = 100}), 200), 1);
}

TEST_SUITE_END();

}  // namespace opencd::test
