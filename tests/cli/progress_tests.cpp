#include "cli/progress.hpp"

#include "cli/training_progress.hpp"

#include <doctest/doctest.h>

namespace opencd::test {

TEST_SUITE_BEGIN("cli/progress");

TEST_CASE("times are told in two units at most") {
  CHECK_EQ(cli::format_seconds(0.2), "0 s");
  CHECK_EQ(cli::format_seconds(59.4), "59 s");
  CHECK_EQ(cli::format_seconds(200.0), "3 min 20 s");
  CHECK_EQ(cli::format_seconds(7500.0), "2 h 5 min");
}

TEST_CASE("a line of training tells epoch, step, losses, rate and time left of the whole run") {
  double now = 100.0;
  cli::TrainingProgress progress(
      {.epochs = 10, .steps = {.usual = 20}, .images_per_step = 64, .first_step = 40}, false,
      [&now] { return now; });
  CHECK_EQ(progress.line(40, ""), "epoch 2/10 step 20/20, 0 img/s, time left unknown");
  now += 10.0;  // 10 steps in 10 s, 150 to go
  CHECK_EQ(progress.line(50, "loss 1.5"),
           "epoch 3/10 step 10/20, loss 1.5, 64 img/s, 2 min 30 s left");
  now += 10.0;
  CHECK_EQ(progress.line(60, ""), "epoch 3/10 step 20/20, 64 img/s, 2 min 20 s left");
  CHECK_EQ(progress.line(200, ""), "epoch 10/10 step 20/20, 512 img/s, 0 s left");
}

TEST_CASE("a line counts the steps of its own epoch, where the first epochs are shorter") {
  double now = 0.0;
  cli::TrainingProgress progress({.epochs = 5,
                                  .steps = {.usual = 20, .labeled = 3, .labeled_epochs = 2},
                                  .images_per_step = 1,
                                  .first_step = 0},
                                 false, [&now] { return now; });
  now += 3.0;  // 3 of 66 steps in 3 s
  CHECK_EQ(progress.line(3, ""), "epoch 1/5 step 3/3, 1 img/s, 1 min 3 s left");
  now += 2.0;
  CHECK_EQ(progress.line(5, ""), "epoch 2/5 step 2/3, 1 img/s, 1 min 1 s left");
  now += 2.0;
  CHECK_EQ(progress.line(7, ""), "epoch 3/5 step 1/20, 1 img/s, 59 s left");
  now += 59.0;
  CHECK_EQ(progress.line(66, ""), "epoch 5/5 step 20/20, 1 img/s, 0 s left");
}

TEST_CASE("one of several runs tells which, and the time left of all of them") {
  double now = 0.0;
  const auto line_of = [&now](double seconds_a_run) {
    now = 0.0;
    cli::TrainingProgress progress({.epochs = 1,
                                    .steps = {.usual = 100},
                                    .images_per_step = 1,
                                    .first_step = 0,
                                    .place = {"run 2/5 gcd-1", 3, seconds_a_run}},
                                   true, [&now] { return now; });
    now = 10.0;  // half of the run is done
    return progress.line(50, "");
  };
  CHECK_EQ(line_of(0.0), "run 2/5 gcd-1, epoch 1/1 step 50/100, 5 img/s, 1 min 10 s left");
  CHECK_EQ(line_of(100.0), "run 2/5 gcd-1, epoch 1/1 step 50/100, 5 img/s, 5 min 10 s left");
}

TEST_CASE("the rate forgets what is long ago, the time left does not") {
  double now = 0.0;
  cli::TrainingProgress progress(
      {.epochs = 1, .steps = {.usual = 1000}, .images_per_step = 10, .first_step = 0}, true,
      [&now] { return now; });
  std::int64_t done = 0;
  const auto run = [&](int seconds, std::int64_t steps_per_second) {
    std::string line;
    for (int i = 0; i < seconds; ++i) {
      now += 1.0;
      line = progress.line(done += steps_per_second, "");
    }
    return line;
  };
  CHECK_EQ(run(100, 1), "epoch 1/1 step 100/1000, 10 img/s, 15 min 0 s left");
  CHECK_EQ(run(100, 3), "epoch 1/1 step 400/1000, 30 img/s, 5 min 0 s left");
}

TEST_SUITE_END();

}  // namespace opencd::test
