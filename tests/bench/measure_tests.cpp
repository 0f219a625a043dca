#include "bench/measure.hpp"

#include "support/device.hpp"

#include <doctest/doctest.h>

namespace opencd::test {

TEST_SUITE_BEGIN("bench/measure");

TEST_CASE("the median is the middle, or the mean of the two middles") {
  CHECK_EQ(bench::median({}), 0.0);
  CHECK_EQ(bench::median({3.0, 1.0, 2.0}), 2.0);
  CHECK_EQ(bench::median({4.0, 1.0, 3.0, 2.0}), 2.5);
}

TEST_CASE("a case that fails its check is never timed") {
  int runs = 0;
  bench::Case broken;
  broken.name = "broken";
  broken.unit = "B";
  broken.run = [&] { ++runs; };
  broken.check = [] { return std::string("entry 3 is wrong"); };
  const bench::Result result = bench::measure(test_device(), broken, {});
  CHECK_EQ(result.check, "entry 3 is wrong");
  CHECK(result.samples_ms.empty());
  CHECK_EQ(runs, 0);
}

TEST_CASE("rates come from the work of one run and the median") {
  bench::Case idle;
  idle.name = "idle";
  idle.work = 2e6;
  idle.unit = "B";
  idle.run = [] {};
  idle.check = [] { return std::string(); };
  std::vector<bench::Result> results = {
      bench::measure(test_device(), idle, {.repeats = 3, .least_ms = 0.1})};
  CHECK_EQ(results[0].samples_ms.size(), 3);
  CHECK(results[0].rate == doctest::Approx(2e6 * 1e-9 / (results[0].median_ms * 1e-3)));
  CHECK_EQ(results[0].unit, "GB/s");
  bench::set_roof(results, "GB/s", 2.0 * results[0].rate);
  CHECK(results[0].roof_share == doctest::Approx(0.5));
  const bench::Json json = bench::to_json("ops", test_device().info(), results);
  CHECK_EQ(json.at("results").at(0).at("check"), "passed");
  CHECK_EQ(json.at("suite"), "ops");
}

TEST_SUITE_END();

}  // namespace opencd::test
