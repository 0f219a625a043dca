#include "opencd/counting/dip_clusters.hpp"

#include "support/random.hpp"

#include <doctest/doctest.h>

#include <set>

namespace opencd::test {

namespace {

/// Blobs of `size` rows about centres on a line, each cut in two where its own centre is.
struct Blobs {
  std::vector<float> rows;
  std::vector<std::int32_t> cluster_of;

  explicit Blobs(const std::vector<float>& centres, std::size_t size = 200) {
    Random random(3);
    for (std::size_t blob = 0; blob < centres.size(); ++blob)
      for (std::size_t i = 0; i < size; ++i) {
        const auto x = static_cast<float>(random.normal());
        rows.push_back(centres[blob] + x);
        rows.push_back(static_cast<float>(random.normal()));
        cluster_of.push_back(static_cast<std::int32_t>(2 * blob + (x > 0.0f ? 1 : 0)));
      }
  }
};

}  // namespace

TEST_SUITE_BEGIN("opencd/counting/dip_clusters");

TEST_CASE("the halves of a blob are merged, blobs apart are not") {
  const Blobs blobs({0.0f, 12.0f, 24.0f}, 5000);  // many: a small sample of one mode has gaps too
  DipClusters clusters(blobs.rows, 2, blobs.cluster_of, 6);
  CHECK_EQ(clusters.count(), 6);
  CHECK_EQ(clusters.merge_alike(0.9), 3);
  CHECK_EQ(clusters.count(), 3);
  std::size_t apart = 0;
  for (std::size_t row = 0; row < clusters.cluster_of().size(); ++row)
    apart += clusters.cluster_of()[row] == clusters.cluster_of()[row / 5000 * 5000] ? 0 : 1;
  CHECK_EQ(apart, 0);
  for (const double p : clusters.p_values()) CHECK_LT(p, 0.1);
}

TEST_CASE("a small cluster beside a large one is not swallowed") {
  Random random(5);
  std::vector<float> rows;
  std::vector<std::int32_t> cluster_of;
  for (std::size_t i = 0; i < 2060; ++i) {
    const bool small = i >= 2000;
    rows.push_back(static_cast<float>(random.normal()) + (small ? 9.0f : 0.0f));
    cluster_of.push_back(small ? 1 : 0);
  }
  DipClusters clusters(rows, 1, cluster_of, 2);
  CHECK_EQ(clusters.merge_alike(0.9), 0);
}

TEST_CASE("shares sum to one and are largest for the own cluster; p-values are symmetric") {
  const Blobs blobs({0.0f, 3.0f, 20.0f});
  const DipClusters clusters(blobs.rows, 2, blobs.cluster_of, 6);
  const std::vector<double> shares = clusters.belonging();
  for (std::size_t a = 0; a < 6; ++a) {
    double sum = 0.0;
    for (std::size_t b = 0; b < 6; ++b) {
      sum += shares[a * 6 + b];
      CHECK_LE(shares[a * 6 + b], shares[a * 6 + a]);
      CHECK_EQ(clusters.p_values()[a * 6 + b], clusters.p_values()[b * 6 + a]);
    }
    CHECK_EQ(sum, doctest::Approx(1.0));
  }
}

TEST_CASE("rows follow the centres when they move; clusters without a row go") {
  const Blobs blobs({0.0f, 12.0f});
  DipClusters clusters(blobs.rows, 2, blobs.cluster_of, 9);  // five of them are empty
  CHECK_EQ(clusters.count(), 4);
  std::vector<float> moved = blobs.rows;
  for (float& value : moved) value = -3.0f * value;
  clusters.follow(moved);
  CHECK_EQ(clusters.count(), 4);
  for (std::size_t row = 0; row < 400; ++row) CHECK_EQ(clusters.cluster_of()[row] < 2, row < 200);
  const std::set<std::size_t> centres(clusters.centre_rows().begin(), clusters.centre_rows().end());
  CHECK_EQ(centres.size(), 4);
}

TEST_CASE("equal rows end as one cluster") {
  DipClusters clusters(std::vector<float>(60, 1.0f), 2, std::vector<std::int32_t>(30, 0), 3);
  CHECK_EQ(clusters.count(), 1);
  std::vector<std::int32_t> two(30, 0);
  two[7] = 1;
  DipClusters pair(std::vector<float>(60, 1.0f), 2, two, 2);
  CHECK_EQ(pair.merge_alike(0.9), 1);
}

TEST_SUITE_END();

}  // namespace opencd::test
