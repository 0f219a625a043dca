#include "opencd/counting/dip_test.hpp"

#include "support/samples.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include <array>

namespace opencd::test {

TEST_SUITE_BEGIN("opencd/counting/dip_test");

TEST_CASE("the dip is that of the package diptest for many shapes and sizes, ties included") {
  const nlohmann::json cases = method_golden("dip");
  REQUIRE_GE(cases.size(), 150);
  for (const auto& golden : cases) {
    CAPTURE(golden.dump());
    CHECK_EQ(dip_statistic(sorted_sample(golden)),
             doctest::Approx(golden["dip"].get<double>()).epsilon(1e-12));
  }
}

TEST_CASE("the closed form is near the tables that diptest interpolates") {
  for (const auto& golden : method_golden("dip")) {
    if (golden["p"].is_null() || golden["count"] < 9 || golden["dip"] == 0.0) continue;
    CAPTURE(golden.dump());
    const double p = dip_p_value(golden["dip"], golden["count"]);
    CHECK_LE(std::abs(p - golden["p"].get<double>()), 0.06);
  }
}

TEST_CASE("values without a gap and equal ones have no dip, two far clumps the largest there is") {
  CHECK_EQ(dip_statistic({}), 0.0);
  CHECK_EQ(dip_statistic(std::array{7.0}), 0.0);
  CHECK_EQ(dip_statistic(std::array{1.0, 5.0, 9.0}), 0.0);
  CHECK_EQ(dip_statistic(std::array{3.0, 3.0, 3.0, 3.0, 3.0}), 0.0);
  std::vector<double> clumps(1000, 0.0);
  std::fill(clumps.begin() + 500, clumps.end(), 1.0);
  CHECK_EQ(dip_statistic(clumps), doctest::Approx(0.25));
}

TEST_CASE("the p-value falls with the dip and with the size, from 1 to 0") {
  CHECK_EQ(dip_p_value(0.0, 1000), doctest::Approx(1.0).epsilon(1e-3));
  CHECK_LT(dip_p_value(0.25, 1000), 1e-6);
  double before = 1.0;
  for (const double dip : {0.01, 0.02, 0.03, 0.05, 0.1}) {
    const double p = dip_p_value(dip, 200);
    CHECK_LT(p, before);
    CHECK_LT(dip_p_value(dip, 400), p);
    before = p;
  }
}

TEST_SUITE_END();

}  // namespace opencd::test
