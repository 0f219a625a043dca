#include "data/feature_classes.hpp"

#include <doctest/doctest.h>

namespace opencd::test {

using data::feature_classes;
using data::FeatureClasses;
using Numbers = std::vector<std::int32_t>;

TEST_SUITE_BEGIN("data/feature_classes");

TEST_CASE("labelled classes come first, whatever their numbers; the truth adds the others") {
  const Numbers labels = {-1, 70, 3, -1, -1, 3};
  const Numbers truth = {9, 70, 3, 1, -1, 9};
  const FeatureClasses classes = feature_classes(labels, truth);
  CHECK_EQ(classes.class_order, Numbers{3, 70, 1, 9});
  CHECK_EQ(classes.known, 2);
  CHECK_EQ(classes.labelled, 3);
  CHECK_EQ(classes.contradicted, 1);
  CHECK_EQ(classes.labels, Numbers{-1, 1, 0, -1, -1, 0});
  CHECK_EQ(classes.truth, Numbers{3, 1, 0, 2, -1, 3});
  CHECK_EQ(classes.hidden_truth(), Numbers{3, -1, -1, 2, -1, -1});
}

TEST_CASE("without labels and without truth there are no classes") {
  const FeatureClasses classes = feature_classes(Numbers{-1, -1}, {});
  CHECK(classes.class_order.empty());
  CHECK_EQ(classes.known, 0);
  CHECK_EQ(classes.labels, Numbers{-1, -1});
  CHECK(classes.truth.empty());
  CHECK(classes.hidden_truth().empty());
}

TEST_SUITE_END();

}  // namespace opencd::test
