#include "opencd/bounded_minimum.hpp"

#include <doctest/doctest.h>

#include <cmath>

namespace opencd::test {

TEST_SUITE_BEGIN("opencd/bounded_minimum");

// Places and numbers of calls are those of scipy.optimize.minimize_scalar(method="bounded",
// options={"xatol": 1e-5}).
TEST_CASE("minima are those that SciPy finds, in as many calls") {
  const struct {
    double (*function)(double);
    double low, high, place;
    int calls;
  } cases[] = {
      {[](double x) { return (x - 2.0) * (x - 2.0); }, 0.0, 5.0, 2.0, 6},
      {[](double x) { return std::sin(3.0 * x) + 0.1 * x * x; }, -2.0, 4.0, 1.536590008, 10},
      {[](double x) { return std::abs(x - 1.0); }, -3.0, 7.0, 1.000000859, 18},
      {[](double x) { return x; }, 1.0, 2.0, 1.000005961, 25},
  };
  for (const auto& [function, low, high, place, calls] : cases) {
    CAPTURE(place);
    const BoundedMinimum found = bounded_minimum(function, {.low = low, .high = high});
    CHECK(found.place == doctest::Approx(place).epsilon(1e-6));
    CHECK_EQ(found.value, function(found.place));
    CHECK_EQ(found.calls, calls);
  }
}

TEST_CASE("it stops after the calls that are allowed") {
  int calls = 0;
  const BoundedMinimum found = bounded_minimum(
      [&](double x) {
        ++calls;
        return std::cos(x);
      },
      {.low = 0.0, .high = 100.0, .tolerance = 1e-9, .most_calls = 7});
  CHECK_EQ(calls, 7);
  CHECK_EQ(found.calls, 7);
}

TEST_SUITE_END();

}  // namespace opencd::test
