#include "opencd/affinity_matrix.hpp"

#include "error.hpp"

#include <doctest/doctest.h>

#include <cmath>

namespace opencd::test {

TEST_SUITE_BEGIN("opencd/affinity_matrix");

TEST_CASE("what rounding did to symmetry and sign is evened out") {
  const std::vector<float> values = {-1e-7f, 0.5f, 0.500001f, 0.25f};
  const AffinityMatrix affinity(values, 2);
  CHECK_EQ(affinity.at(0, 0), 0.0);
  CHECK_EQ(affinity.at(0, 1), affinity.at(1, 0));
  CHECK_EQ(affinity.at(0, 1), doctest::Approx(0.5000005));
  CHECK_EQ(affinity.row(1)[1], 0.25);
}

TEST_CASE("matrices that are not affinities are refused") {
  const auto make = [](std::vector<double> values) { return AffinityMatrix(values, 2); };
  CHECK_THROWS_WITH_AS(make({0, 1, 1}), "[affinity] expected 2 x 2 entries, got 3", ShapeError);
  CHECK_THROWS_WITH_AS(make({0, 0.5, 0.75, 0}),
                       "[affinity] expected a symmetric matrix, got 0.75 at (1, 0), 0.5 at (0, 1)",
                       ShapeError);
  CHECK_THROWS_WITH_AS(make({0, -1, -1, 0}),
                       "[affinity] expected no negative entry, got -1 at (1, 0)", ShapeError);
  CHECK_THROWS_WITH_AS(make({0, NAN, 1, 0}), "[affinity] prototypes 1 and 0 have affinity nan",
                       NonFiniteError);
}

TEST_SUITE_END();

}  // namespace opencd::test
