#include "nn/schedule.hpp"

#include <doctest/doctest.h>

#include <cmath>

namespace opencd::test {

using nn::learning_rate_at;
using nn::ScheduleConfig;
using nn::ScheduleKind;

TEST_SUITE_BEGIN("nn/schedule");

TEST_CASE("multi-step divides at every milestone, from the milestone on") {
  const ScheduleConfig schedule{
      .kind = ScheduleKind::multi_step, .learning_rate = 2e-3, .milestones = {90, 120}};
  CHECK(learning_rate_at(schedule, 0) == 2e-3);
  CHECK(learning_rate_at(schedule, 89) == 2e-3);
  CHECK(learning_rate_at(schedule, 90) == doctest::Approx(2e-4).epsilon(1e-12));
  CHECK(learning_rate_at(schedule, 149) == doctest::Approx(2e-5).epsilon(1e-12));
}

TEST_CASE("cosine runs from the rate to the minimum and stays there") {
  const ScheduleConfig schedule{
      .kind = ScheduleKind::cosine, .learning_rate = 0.4, .total = 500, .minimum = 4e-4};
  CHECK(learning_rate_at(schedule, 0) == 0.4);
  CHECK(learning_rate_at(schedule, 250) == doctest::Approx((0.4 + 4e-4) / 2).epsilon(1e-12));
  CHECK(learning_rate_at(schedule, 125) ==
        doctest::Approx(4e-4 + (0.4 - 4e-4) * (1 + std::sqrt(0.5)) / 2).epsilon(1e-12));
  CHECK(learning_rate_at(schedule, 500) == doctest::Approx(4e-4).epsilon(1e-12));
  CHECK(learning_rate_at(schedule, 600) == doctest::Approx(4e-4).epsilon(1e-12));
}

TEST_CASE("FixMatch's cosine fades to a fifth of the rate") {
  const ScheduleConfig schedule{
      .kind = ScheduleKind::fading_cosine, .learning_rate = 0.03, .total = 10};
  CHECK(learning_rate_at(schedule, 0) == 0.03);
  CHECK(learning_rate_at(schedule, 10) == doctest::Approx(0.03 * 0.19509032).epsilon(1e-7));
  CHECK(learning_rate_at(schedule, 11) == learning_rate_at(schedule, 10));
}

TEST_CASE("warm-up rises linearly and meets the schedule where it ends") {
  const ScheduleConfig schedule{.kind = ScheduleKind::cosine,
                                .learning_rate = 0.5,
                                .total = 1000,
                                .minimum = 5e-4,
                                .warm_up = 10,
                                .warm_up_start = 0.01};
  ScheduleConfig without = schedule;
  without.warm_up = 0.0;
  const double end = learning_rate_at(without, 10);
  CHECK(learning_rate_at(schedule, 0) == 0.01);
  CHECK(learning_rate_at(schedule, 5) == doctest::Approx((0.01 + end) / 2).epsilon(1e-12));
  CHECK(learning_rate_at(schedule, 10) == end);
}

TEST_CASE("a constant rate is constant") {
  CHECK(learning_rate_at({.learning_rate = 0.1}, 0) == 0.1);
  CHECK(learning_rate_at({.learning_rate = 0.1}, 1e6) == 0.1);
}

TEST_SUITE_END();

}  // namespace opencd::test
