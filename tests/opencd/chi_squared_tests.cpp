#include "opencd/chi_squared.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <initializer_list>
#include <tuple>

namespace opencd::test {

TEST_SUITE_BEGIN("opencd/chi_squared");

// scipy.stats.chi2.cdf of SciPy 1.17: both forms, far into both tails.
TEST_CASE("the distribution is SciPy's") {
  for (const auto& [value, degrees, expected] : {std::tuple{0.001, 1.0, 0.025227120630039609},
                                                 {0.1, 1.0, 0.24817036595415076},
                                                 {0.5, 4.0, 0.026499021160743912},
                                                 {1.2, 4.0, 0.12190138224955764},
                                                 {4.0, 4.0, 0.59399415029016156},
                                                 {20.0, 4.0, 0.99950060077261271},
                                                 {1.1, 9.0, 0.00082964773214561527},
                                                 {9.0, 9.0, 0.56272581108613307},
                                                 {40.0, 9.0, 0.99999240147477053},
                                                 {30.0, 49.0, 0.014806821888403774},
                                                 {49.0, 49.0, 0.52687170434523478},
                                                 {120.0, 49.0, 0.99999993123038577},
                                                 {700.0, 999.0, 3.4632617274519053e-14},
                                                 {1000.0, 999.0, 0.51486851072509854}}) {
    CAPTURE(value);
    CAPTURE(degrees);
    CHECK_EQ(chi_squared_below(value, degrees), doctest::Approx(expected).epsilon(1e-12));
  }
}

TEST_CASE("two degrees are an exponential, and nothing lies below zero") {
  for (const double value : {1e-6, 0.3, 2.0, 7.0, 40.0})
    CHECK_EQ(chi_squared_below(value, 2.0), doctest::Approx(-std::expm1(-value / 2.0)));
  CHECK_EQ(chi_squared_below(0.0, 3.0), 0.0);
  CHECK_EQ(chi_squared_below(-1.0, 3.0), 0.0);
}

TEST_SUITE_END();

}  // namespace opencd::test
