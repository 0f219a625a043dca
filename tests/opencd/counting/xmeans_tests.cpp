#include "opencd/counting/xmeans.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

namespace opencd::test {

TEST_SUITE_BEGIN("opencd/counting/xmeans");

TEST_CASE("the criterion is the published formula, by hand") {
  const std::vector<std::size_t> sizes = {3, 5};
  const double n = 8.0;
  const double v = 12.0 / 6.0;
  double expected = -0.5 * 2.0 * 4.0 * std::log(n);
  for (const double m : {3.0, 5.0})
    expected += m * std::log(m) - m * std::log(n) - m / 2.0 * std::log(2.0 * 3.14159265358979) -
                m * 3.0 / 2.0 * std::log(v) - (m - 2.0) / 2.0;
  CHECK_EQ(information_criterion(sizes, 12.0, 3), doctest::Approx(expected));
  CHECK_EQ(information_criterion(sizes, 0.0, 3), std::numeric_limits<double>::infinity());
}

TEST_SUITE_END();

}  // namespace opencd::test
