#include "opencd/counting/anderson_darling.hpp"

#include "support/samples.hpp"

#include <doctest/doctest.h>

#include <array>

namespace opencd::test {

TEST_SUITE_BEGIN("opencd/counting/anderson_darling");

TEST_CASE("the statistic is SciPy's for many shapes and sizes, far tails included") {
  const nlohmann::json cases = method_golden("anderson_darling");
  REQUIRE_GE(cases.size(), 120);
  for (const auto& golden : cases) {
    CAPTURE(golden.dump());
    CHECK_EQ(anderson_darling(sorted_sample(golden)),
             doctest::Approx(golden["statistic"].get<double>()).epsilon(1e-9));
  }
}

TEST_CASE("the p-value is that of the published critical values") {
  // D'Agostino and Stephens, table 4.7: the adjusted statistic at five levels.
  constexpr std::array<std::array<double, 2>, 5> kTable = {
      {{0.631, 0.10}, {0.752, 0.05}, {0.873, 0.025}, {1.035, 0.01}, {1.159, 0.005}}};
  constexpr std::size_t kCount = 1000000;  // where nothing is to be adjusted
  for (const auto& [statistic, level] : kTable)
    CHECK_EQ(anderson_darling_p_value(statistic, kCount), doctest::Approx(level).epsilon(0.03));
  CHECK_LT(anderson_darling_p_value(1.869, kCount), 1e-4);  // where G-means splits
  CHECK_GT(anderson_darling_p_value(1.84, kCount), 1e-4);
}

TEST_CASE("the p-value falls as the statistic grows, without a jump, and ends at 0") {
  double before = 1.0;
  for (double statistic = 0.05; statistic < 20.0; statistic += 0.01) {
    const double p = anderson_darling_p_value(statistic, 500);
    CHECK_LE(p, before + 2e-3);
    CHECK_GE(p, before - 0.09);
    CHECK_GE(p, 0.0);
    before = p;
  }
  CHECK_EQ(before, 0.0);
}

TEST_CASE("values without spread have nothing to test") {
  CHECK_EQ(anderson_darling({}), 0.0);
  CHECK_EQ(anderson_darling(std::array{4.0}), 0.0);
  CHECK_EQ(anderson_darling(std::array{4.0, 4.0, 4.0}), 0.0);
}

TEST_SUITE_END();

}  // namespace opencd::test
