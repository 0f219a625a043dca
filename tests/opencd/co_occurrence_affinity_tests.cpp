#include "opencd/co_occurrence_affinity.hpp"

#include "error.hpp"

#include <doctest/doctest.h>

#include <cmath>

namespace opencd::test {

namespace {

/// Prototypes 0 (4 rows), 1 (2), 2 (3) and 3 (none); 0 and 1 share 2 rows, 0 and 2 one.
const std::vector<std::uint32_t> kCounts = {4, 2, 1, 0, 9, 2, 0, 0, 9, 9, 3, 0, 9, 9, 9, 0};

}  // namespace

TEST_SUITE_BEGIN("opencd/co_occurrence_affinity");

TEST_CASE("overlap divides by the smaller set, and a dead prototype is like none") {
  const AffinityMatrix a = co_occurrence_affinity(kCounts, {}, 4, {});
  CHECK_EQ(a.at(0, 1), 1.0);
  CHECK_EQ(a.at(2, 0), doctest::Approx(1.0 / 3.0).epsilon(1e-12));
  CHECK_EQ(a.at(1, 2), 0.0);
  for (std::size_t k = 0; k < 4; ++k) {
    CHECK_EQ(a.at(k, k), 0.0);
    CHECK_EQ(a.at(k, 3), 0.0);
  }
}

TEST_CASE("jaccard divides by the union") {
  const AffinityMatrix a = co_occurrence_affinity(kCounts, {}, 4, {.measure = SharedRows::jaccard});
  CHECK_EQ(a.at(0, 1), doctest::Approx(2.0 / 4.0).epsilon(1e-12));
  CHECK_EQ(a.at(0, 2), doctest::Approx(1.0 / 6.0).epsilon(1e-12));
}

TEST_CASE("the cosine takes the share that is left, on the diagonal too") {
  std::vector<float> cosines(16, 0.5f);
  for (std::size_t k = 0; k < 4; ++k) cosines[k * 5] = 1.0f;
  cosines[0 * 4 + 3] = -1.0f;
  const AffinityMatrix w = co_occurrence_affinity(kCounts, cosines, 4, {.share = 0.9});
  CHECK_EQ(w.at(0, 1), doctest::Approx(0.9 + 0.1 * 0.75).epsilon(1e-12));
  CHECK_EQ(w.at(1, 2), doctest::Approx(0.075).epsilon(1e-12));
  CHECK_EQ(w.at(3, 3), doctest::Approx(0.1).epsilon(1e-12));
  CHECK_EQ(w.at(3, 0), doctest::Approx(0.0).epsilon(1e-12));
}

TEST_CASE("counts of another size, missing cosines and an impossible share are refused") {
  CHECK_THROWS_AS(co_occurrence_affinity(kCounts, {}, 3, {}), ShapeError);
  CHECK_THROWS_AS(co_occurrence_affinity(kCounts, {}, 4, {.share = 0.5}), ShapeError);
  CHECK_THROWS_AS(co_occurrence_affinity(kCounts, {}, 4, {.share = 1.5}), UsageError);
  CHECK_THROWS_AS(co_occurrence_affinity(kCounts, {}, 4, {.share = std::nan("")}), UsageError);
}

TEST_SUITE_END();

}  // namespace opencd::test
