#include "opencd/hidden_classes.hpp"

#include <doctest/doctest.h>

namespace opencd::test {

namespace {

/// Three classes of 10 labelled rows on four prototypes; class 2 lies on two of them, six rows to four.
/// Of all 1000 rows the prototypes have 100 to 300, and 400 lie on a fifth.
PrototypeEvidence evidence() {
  return {AffinityMatrix{std::vector<double>(25, 0.0), 5},
          Contingency{5, 3, {10, 0, 0, 0, 10, 0, 0, 0, 6, 0, 0, 4, 0, 0, 0}},
          {100, 300, 120, 80, 400}};
}

double score(const std::vector<std::int32_t>& group_of, int folds = 10) {
  const PrototypeEvidence about = evidence();
  return HiddenClasses(about, folds).score(number_groups(group_of));
}

double mean(double a, double b, double c) { return (a + b + c) / 3.0; }

}  // namespace

TEST_SUITE_BEGIN("opencd/hidden_classes");

TEST_CASE("a group for every class recovers all, whichever is hidden") {
  const PrototypeEvidence about = evidence();
  CHECK_EQ(HiddenClasses(about, 10).classes(), 3);
  CHECK_EQ(score({0, 1, 2, 2, 3}), doctest::Approx(1.0));
}

TEST_CASE("a class that is split loses what is outside its group") {
  const double c = (0.6 - 0.12) / (1.0 - 0.12);  // its group has 120 of 1000 rows
  CHECK_EQ(score({0, 1, 2, 3, 4}),
           doctest::Approx(mean(0.5 * (0.5 * (1.0 + c) + 1.0), 0.5 * (0.5 * (1.0 + c) + 1.0),
                                0.5 * (0.5 * (1.0 + 1.0) + c))));
}

TEST_CASE("of classes that are merged only one finds the group") {
  // classes 0 and 1 in one group: both kept, one finds it; one hidden, it finds nothing
  CHECK_EQ(score({0, 0, 1, 1, 2}),
           doctest::Approx(mean(0.5 * (0.5 * (1.0 + 1.0) + 0.0), 0.5 * (0.5 * (1.0 + 1.0) + 0.0),
                                0.5 * (0.5 * (1.0 + 0.0) + 1.0))));
}

TEST_CASE("where the rate of labels is known a gain is an F-measure") {
  const PrototypeEvidence about = evidence();
  // a tenth is labelled: every class has 100 rows, so that class 0 fills its group of 100 rows and
  // class 1 a third of its group of 300
  const HiddenClasses hidden(about, 1, 0.1);
  const double a = 1.0;
  const double b = 2.0 * 100 / (300 + 100);
  const double c = 2.0 * 100 / (200 + 100);
  CHECK_EQ(hidden.score(number_groups(std::vector<std::int32_t>{0, 1, 2, 2, 3})),
           doctest::Approx(mean(a, b, c)));
  // no group has more rows of a class than rows
  const HiddenClasses too_low(about, 1, 0.05);
  const double most = 2.0 * 100 / (100 + 200);
  CHECK_EQ(too_low.score(number_groups(std::vector<std::int32_t>{0, 1, 2, 2, 3})),
           doctest::Approx(mean(most, 2.0 * 200 / 500, 2.0 * 200 / 400)));
}

TEST_CASE("all rows in one group recover nothing") { CHECK_EQ(score({0, 0, 0, 0, 0}), 0.0); }

TEST_CASE("fewer folds hide several classes at once, and classes without rows count for nothing") {
  CHECK_EQ(score({0, 1, 2, 2, 3}, 1),
           doctest::Approx(1.0));  // all hidden, none kept
  const PrototypeEvidence one_empty{AffinityMatrix{std::vector<double>(4, 0.0), 2},
                                    Contingency{2, 3, {5, 0, 0, 0, 0, 5}},
                                    {50, 50}};
  CHECK_EQ(HiddenClasses(one_empty, 10).classes(), 2);
  CHECK_EQ(HiddenClasses(one_empty, 10).score(single_groups(2)), doctest::Approx(1.0));
}

TEST_SUITE_END();

}  // namespace opencd::test
