#include "bench/train.hpp"

#include "support/device.hpp"

#include <doctest/doctest.h>

namespace opencd::test {

TEST_SUITE_BEGIN("bench/train");

TEST_CASE("steps, inference and convolutions pass their checks in both modes of frozen stages") {
  const nn::Engine engine(test_device());
  bench::TrainOptions train{.batch = 8, .crop = 16, .width = 16, .prototypes = 10};
  for (const nn::FrozenNorm norm : {nn::FrozenNorm::batch, nn::FrozenNorm::fixed}) {
    train.frozen_norm = norm;
    const auto results =
        bench::run_train_suite(engine, train, {.convolutions = norm == nn::FrozenNorm::batch},
                               {.repeats = 1, .least_ms = 0.1});
    CHECK(results.front().name == "train_step");
    for (const bench::Result& result : results) {
      CAPTURE(result.name);
      CHECK(result.check == "passed");
      CHECK(result.rate > 0.0);
    }
  }
}

TEST_CASE("a step of the bench takes the memory that its plan says") {
  const nn::Engine engine(test_device());
  const std::size_t before = test_device().memory().used;
  bench::TrainStep step(engine, {.batch = 64, .crop = 28, .width = 16});
  step.run();
  const auto used = static_cast<double>(test_device().memory().used - before);
  CHECK(static_cast<double>(step.plan().total()) == doctest::Approx(used).epsilon(0.1));
}

TEST_SUITE_END();

}  // namespace opencd::test
