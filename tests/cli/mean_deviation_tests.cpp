#include "cli/mean_deviation.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>

namespace opencd::test {

using cli::mean_deviation;
using cli::MeanDeviation;

TEST_SUITE_BEGIN("cli/mean_deviation");

TEST_CASE("mean and sample deviation, by hand") {
  const MeanDeviation m = mean_deviation(std::array<double, 4>{2.0, 4.0, NAN, 9.0});
  CHECK_EQ(m.count, 3);
  CHECK_EQ(m.mean, 5.0);
  CHECK_EQ(m.deviation, doctest::Approx(std::sqrt(13.0)));
  CHECK_EQ(mean_deviation(std::array<double, 1>{3.0}).deviation, 0.0);
  CHECK_EQ(mean_deviation({}).count, 0);
}

TEST_SUITE_END();

}  // namespace opencd::test
