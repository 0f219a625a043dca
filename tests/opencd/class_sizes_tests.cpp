#include "opencd/class_sizes.hpp"

#include <doctest/doctest.h>

#include <cmath>

namespace opencd::test {

namespace {

/// A prototype for every class, known ones first; labelled[c] of the rows of known class c are labelled.
PrototypeEvidence pure_prototypes(const std::vector<double>& rows,
                                  const std::vector<std::int64_t>& labelled) {
  const std::size_t size = rows.size();
  Contingency table{size, labelled.size(), std::vector<std::int64_t>(size * labelled.size(), 0)};
  for (std::size_t c = 0; c < labelled.size(); ++c)
    table.counts[c * labelled.size() + c] = labelled[c];
  return {AffinityMatrix{std::vector<double>(size * size, 0.0), size}, table, rows};
}

std::optional<NumberBySize> number_of(const PrototypeEvidence& evidence) {
  return number_by_size(std::span(&evidence, 1));
}

}  // namespace

TEST_SUITE_BEGIN("opencd/class_sizes");

TEST_CASE("classes of one size are as many as fit into all rows") {
  const std::vector<double> rows(8, 4000.0);
  const auto found = number_of(pure_prototypes(rows, {380, 420, 400, 430}));
  REQUIRE(found);
  CHECK_EQ(found->number, doctest::Approx(8.0).epsilon(0.1));
  CHECK_LT(found->error, 0.4);
  CHECK_GT(found->error, 0.2);  // four classes do not show how large others are
}

TEST_CASE("one class that is well apart is enough, others may be mixed with rows of new classes") {
  std::vector<double> rows(8, 4000.0);
  rows[1] = rows[2] = rows[3] = 8000.0;  // half of these are of other classes
  rows[5] = rows[6] = rows[7] = 0.0;
  const auto found = number_of(pure_prototypes(rows, {380, 420, 400, 430}));
  REQUIRE(found);
  CHECK_EQ(found->number, doctest::Approx(7.5).epsilon(0.1));
}

TEST_CASE("few labels and unequal classes make it less sure") {
  const std::vector<double> rows(8, 400.0);
  const auto few = number_of(pure_prototypes(rows, {4, 9, 6, 5}));
  const auto many = number_of(pure_prototypes(rows, {100, 110, 90, 105}));
  const auto unequal = number_of(pure_prototypes(rows, {40, 300, 90, 105}));
  REQUIRE(few);
  REQUIRE(many);
  REQUIRE(unequal);
  CHECK_GT(few->error, many->error);
  CHECK_GT(unequal->error, many->error);
}

TEST_CASE("one known class, no labels, or as many labels of every class say nothing about sizes") {
  const std::vector<double> rows(8, 400.0);
  CHECK_FALSE(number_of(pure_prototypes(rows, {40})));
  CHECK_FALSE(number_of(pure_prototypes(rows, {})));
  CHECK_FALSE(number_of(pure_prototypes(rows, {0, 0, 0})));
  CHECK_FALSE(number_of(pure_prototypes(rows, {20, 20, 20, 20})));
}

TEST_SUITE_END();

}  // namespace opencd::test
