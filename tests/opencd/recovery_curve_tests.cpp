#include "opencd/recovery_curve.hpp"

#include "support/method_golden.hpp"

#include <doctest/doctest.h>

#include <cmath>

namespace opencd::test {

namespace {

constexpr std::size_t kPrototypes = 50;
constexpr std::size_t kClasses = 10;
constexpr std::int64_t kRows = 20;  // labelled, of every prototype of a known class

/// Ten clear blocks of five prototypes, of which the first `known` are known classes.
PrototypeEvidence clear_blocks(std::size_t known) {
  const Grouping blocks = planted_groups(kPrototypes, kClasses);
  Contingency labelled{kPrototypes, known, std::vector<std::int64_t>(kPrototypes * known, 0)};
  for (std::size_t k = 0; k < kPrototypes; ++k) {
    const auto block = static_cast<std::size_t>(blocks.group_of[k]);
    if (block < known) labelled.counts[k * known + block] = kRows;
  }
  return {golden_graph("clear"), labelled, std::vector<double>(kPrototypes, 10.0 * kRows)};
}

}  // namespace

TEST_SUITE_BEGIN("opencd/recovery_curve");

TEST_CASE("as many groups as there are blocks recover all, fewer and more do not") {
  const std::vector<PrototypeEvidence> sets(3, clear_blocks(6));
  const RecoveryCurve curve(sets, 6, kPrototypes, {});
  CHECK_EQ(curve.at(kClasses), doctest::Approx(1.0));
  CHECK_EQ(curve.best(), doctest::Approx(1.0));
  CHECK_LT(curve.at(6), 0.95);
  CHECK_LT(curve.at(13), 0.95);
  CHECK_LT(curve.at(kPrototypes), 0.95);  // not tried any more, far below the best
}

TEST_CASE("sets that agree leave the error of the labelled rows") {
  const std::vector<PrototypeEvidence> sets(4, clear_blocks(6));
  const RecoveryCurve curve(sets, 6, 20, {});
  const double rows = 6 * 5 * kRows;
  CHECK_EQ(curve.error_of_best(), doctest::Approx(1.0 / rows));
}

TEST_CASE("numbers between those that were tried lie on a straight line") {
  const std::vector<PrototypeEvidence> sets(1, clear_blocks(6));
  const RecoveryCurve curve(sets, 6, 14, {.points = 2});  // 6 and 14
  const double middle = 0.5 * (curve.at(6) + curve.at(14));
  CHECK_EQ(curve.at(10), doctest::Approx(middle));
  CHECK_EQ(curve.at(5), curve.at(6));
  CHECK_EQ(curve.at(15), curve.at(14));
}

TEST_SUITE_END();

}  // namespace opencd::test
