#include "opencd/counting/class_counter.hpp"

#include "error.hpp"
#include "opencd/principal_components.hpp"
#include "support/compare.hpp"
#include "support/message.hpp"
#include "support/planted_features.hpp"

#include <doctest/doctest.h>

#include <limits>

namespace opencd::test {

namespace {

CountedClasses count(const PlantedFeatures& p, const CounterConfig& config) {
  const nn::Engine engine(test_device());
  const LabelledFeatures features{p.values, p.columns, p.labels, p.known, 0};
  return count_classes(engine, features, config,
                       [](const std::string&, std::size_t, std::size_t) {});
}

template <class Failure>
std::string complaint(const PlantedFeatures& p, const CounterConfig& config) {
  try {
    count(p, config);
  } catch (const Failure& failure) {
    return failure.what();
  }
  return "nothing was wrong";
}

}  // namespace

TEST_SUITE_BEGIN("opencd/counting/class_counter");

TEST_CASE("planted classes are counted and known ones keep their number, with and without PCA") {
  const PlantedFeatures p = planted({.rows = 3000, .spread = 0.15});
  for (const std::string counter : {"xmeans", "gmeans-split"})
    for (const std::size_t components : {0, 5}) {
      CAPTURE(counter);
      CAPTURE(components);
      const CountedClasses counted = count(p, {.counter = counter, .components = components});
      CHECK_EQ(counted.found, 6);
      CHECK_GE(planted_accuracy(p, counted.predictions), 0.98);
      REQUIRE_EQ(counted.centres.size(), 6 * p.columns);
      for (const Prediction& prediction : counted.predictions) {
        CHECK_GE(prediction.confidence, 0.5f);
        CHECK_GE(prediction.margin, 0.0f);
        CHECK_GE(prediction.likeness, 0.0f);
      }
    }
}

TEST_CASE("classes of which every second has a tenth of the rows are counted all the same") {
  const PlantedFeatures p = planted({.rows = 3300, .spread = 0.15, .uneven = 10});
  for (const std::string& counter : {std::string("xmeans"), std::string("gmeans")}) {
    CAPTURE(counter);
    const CountedClasses counted = count(p, {.counter = counter});
    CHECK_EQ(counted.found, 6);
    CHECK_GE(planted_accuracy(p, counted.predictions), 0.98);
  }
}

TEST_CASE("a count below the known classes leaves some of them without rows") {
  PlantedFeatures p = planted({.classes = 2, .known = 2, .spread = 0.15});
  p.known = 4;  // two more have been labelled, by mistake, in rows of the same clusters
  p.labels[100] = 2;
  p.labels[101] = 3;
  const CountedClasses counted = count(p, {.counter = "xmeans"});
  CHECK_EQ(counted.found, 2);
  for (std::size_t row = 0; row < p.rows; ++row)
    CHECK_EQ(counted.predictions[row].group, p.truth[row]);
}

TEST_CASE("bad use is told in a sentence") {
  const PlantedFeatures p = planted({});
  CHECK_CONTAINS(complaint<UsageError>(p, {.counter = "guess"}),
                 "xmeans, gmeans, gmeans-split, dipdeck");
  CHECK_CONTAINS(complaint<UsageError>(p, {.counter = "xmeans", .most = 2}), "3 known ones");
  CHECK_CONTAINS(complaint<UsageError>(p, {.counter = "gmeans", .components = 25}),
                 "at most 24 principal");
  for (const std::string& counter : counter_names()) {
    CAPTURE(counter);
    PlantedFeatures one = planted({.classes = 1, .rows = 1, .known = 0});
    CHECK_CONTAINS(complaint<UsageError>(one, {.counter = counter}), "2 rows or more, got 1");
    PlantedFeatures equal = p;
    std::fill(equal.values.begin(), equal.values.end(), 2.0f);
    CHECK_CONTAINS(complaint<FormatError>(equal, {.counter = counter}),
                   "all 600 rows are the same");
    PlantedFeatures bad = p;
    bad.values[24 * 5 + 3] = std::numeric_limits<float>::quiet_NaN();
    CHECK_CONTAINS(complaint<NonFiniteError>(bad, {.counter = counter}), "row 5, column 3");
  }
}

TEST_CASE("principal components keep lengths where all are kept, and come by their variance") {
  const PlantedFeatures p = planted({.rows = 101, .columns = 9});
  const nn::Engine engine(test_device());
  const auto src = kernels::to_device(test_device(), p.values);
  const auto components =
      kernels::to_host(test_device(), principal_components(engine, src.rows(101, 9), 9));
  std::vector<double> variance(9, 0.0);
  for (std::size_t i = 0; i < components.size(); ++i)
    variance[i % 9] += static_cast<double>(components[i]) * components[i];
  CHECK(std::is_sorted(variance.rbegin(), variance.rend()));
  for (const std::size_t row : {1UL, 50UL, 100UL}) {  // distances are as before
    double before = 0.0;
    double after = 0.0;
    for (std::size_t c = 0; c < 9; ++c) {
      before += std::pow(static_cast<double>(p.values[row * 9 + c]) - p.values[c], 2);
      after += std::pow(static_cast<double>(components[row * 9 + c]) - components[c], 2);
    }
    CHECK_EQ(after, doctest::Approx(before).epsilon(1e-4));
  }
}

TEST_SUITE_END();

}  // namespace opencd::test
