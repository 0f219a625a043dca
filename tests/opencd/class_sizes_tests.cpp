#include "opencd/class_sizes.hpp"

#include "support/random.hpp"

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

TEST_CASE("one known class or no labels say nothing about sizes") {
  const std::vector<double> rows(8, 400.0);
  CHECK_FALSE(number_of(pure_prototypes(rows, {40})));
  CHECK_FALSE(number_of(pure_prototypes(rows, {})));
  CHECK_FALSE(number_of(pure_prototypes(rows, {0, 0, 0})));
}

TEST_CASE("numbers of labels that somebody chose are not believed") {
  const std::vector<double> rows(8, 400.0);
  CHECK_EQ(number_of(pure_prototypes(rows, {20, 20, 20, 20}))->belief, 0.0);
  CHECK_LT(number_of(pure_prototypes(rows, {40, 40, 40, 41}))->belief, 0.3);
}

TEST_CASE("numbers that chance made are believed in nearly every draw, whatever the sizes") {
  Random random(5);
  std::size_t draws = 0;
  std::size_t doubted = 0;
  double sum = 0.0;
  for (const std::size_t known : {2, 3, 5, 10, 50})
    for (const double rate : {0.05, 0.1, 0.5, 0.8})
      for (const double unequal : {0.0, 0.5})
        for (int draw = 0; draw < 50; ++draw) {
          std::vector<double> rows(2 * known);
          for (double& size : rows) size = std::round(400.0 * random.uniform(1.0 - unequal, 1.0));
          std::vector<std::int64_t> labelled(known, 0);
          for (std::size_t c = 0; c < known; ++c)
            for (double row = 0.0; row < rows[c]; ++row) labelled[c] += random.uniform() < rate;
          const auto found = number_of(pure_prototypes(rows, labelled));
          REQUIRE(found);
          ++draws;
          sum += found->belief;
          doubted += found->belief < 0.5;
        }
  CHECK_GT(sum / static_cast<double>(draws), 0.85);
  CHECK_LT(doubted, draws / 20);
}

TEST_CASE("a label more or less changes little: nothing is switched on or off") {
  const std::vector<double> rows(16, 800.0);
  Random random(6);
  for (int draw = 0; draw < 200; ++draw) {
    std::vector<std::int64_t> labelled;
    for (int c = 0; c < 8; ++c)
      labelled.push_back(80 + static_cast<std::int64_t>(std::lround(random.normal() * 3.0)));
    const double belief = number_of(pure_prototypes(rows, labelled))->belief;
    ++labelled[random.below(8)];
    CHECK_LT(std::abs(number_of(pure_prototypes(rows, labelled))->belief - belief), 0.25);
  }
}

TEST_SUITE_END();

}  // namespace opencd::test
