#include "opencd/discovery_settings.hpp"

#include <doctest/doctest.h>

namespace opencd::test {

namespace {

std::int64_t prototypes(std::size_t rows, std::size_t known, std::size_t classes) {
  return discovery_settings({.rows = rows, .columns = 64, .known = known, .classes = classes})
      .method.prototypes;
}

}  // namespace

TEST_SUITE_BEGIN("opencd/discovery_settings");

TEST_CASE("there are several prototypes a class, at least as many as classes, and rows for each") {
  CHECK_EQ(prototypes(50'000, 5, 10), 50);
  CHECK_EQ(prototypes(50'000, 20, 60), 300);
  CHECK_EQ(prototypes(50'000, 20, 900), 900);
  CHECK_EQ(prototypes(50'000, 40, 0), 400);
  CHECK_EQ(prototypes(50'000, 5, 0), 50);
  CHECK_EQ(prototypes(50'000, 0, 0), 220);
  CHECK_EQ(prototypes(100, 2, 0), 25);
  CHECK_EQ(prototypes(100, 2, 60), 60);
  CHECK_EQ(prototypes(2, 0, 0), 2);
  CHECK_LE(prototypes(10'000'000, 0, 0), 500);
}

TEST_CASE("the stages follow each other within any number of epochs") {
  for (const std::size_t classes : {0, 7})
    for (const std::int64_t epochs : {1, 2, 3, 20, 150}) {
      CAPTURE(classes);
      CAPTURE(epochs);
      const OpenNcdConfig method =
          discovery_settings({.rows = 1000, .columns = 8, .classes = classes, .epochs = epochs})
              .method;
      CHECK_LT(method.warm_epochs, epochs);  // else there would be no groups at all
      CHECK_GT(method.grouping_epochs, method.warm_epochs);
      CHECK_LE(method.kappa, method.prototypes);
    }
}

TEST_CASE("labels, by which classes can be counted, are used as soon as there are groups") {
  const DiscoveryTask told{.rows = 1000, .columns = 8, .known = 0, .classes = 7};
  const DiscoveryTask labelled{.rows = 1000, .columns = 8, .known = 3};
  const DiscoveryTask neither{.rows = 1000, .columns = 8};
  CHECK(discovery_settings(told).method.ce_while_grouping);
  CHECK(discovery_settings(labelled).method.ce_while_grouping);
  CHECK_LT(discovery_settings(labelled).method.warm_epochs,
           discovery_settings(neither).method.warm_epochs);
}

TEST_SUITE_END();

}  // namespace opencd::test
