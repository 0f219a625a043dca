#include "opencd/metrics.hpp"

#include "error.hpp"
#include "support/method_golden.hpp"
#include "support/random.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

namespace opencd::test {

namespace {

using Labels = std::vector<std::int32_t>;

constexpr double kTolerance = 1e-12;

void check_accuracy(const OpenWorldAccuracy& actual, const nlohmann::json& golden) {
  CHECK(actual.all.fraction() == doctest::Approx(golden[0].get<double>()).epsilon(kTolerance));
  CHECK(actual.known.fraction() == doctest::Approx(golden[1].get<double>()).epsilon(kTolerance));
  CHECK(actual.novel.fraction() == doctest::Approx(golden[2].get<double>()).epsilon(kTolerance));
}

/// Classes at random; groups follow their class but for a share of noise.
Contingency golden_table(const nlohmann::json& golden) {
  const std::size_t rows = golden["rows"];
  const std::size_t groups = golden["groups"];
  const std::size_t classes = golden["classes"];
  HashedWords class_words(golden["seed"].get<std::uint64_t>());
  HashedWords noise_words(golden["seed"].get<std::uint64_t>() + 1);
  HashedWords group_words(golden["seed"].get<std::uint64_t>() + 2);
  Labels class_of_row(rows);
  Labels group_of_row(rows);
  for (std::size_t row = 0; row < rows; ++row) {
    class_of_row[row] = class_words.below(classes);
    const bool keep = noise_words.unit() >= golden["noise"].get<double>();
    const std::int32_t other = group_words.below(groups);
    group_of_row[row] = keep ? class_of_row[row] * 11 % static_cast<std::int32_t>(groups) : other;
  }
  return count_contingency(group_of_row, class_of_row, groups, classes);
}

}  // namespace

TEST_SUITE_BEGIN("opencd/metrics");

TEST_CASE("nmi and ari equal those of scikit-learn") {
  for (const auto& golden : method_golden("metrics")) {
    CAPTURE(golden.dump());
    const Contingency table = golden_table(golden);
    CHECK(std::abs(normalized_mutual_information(table) - golden["nmi"].get<double>()) <
          kTolerance);
    CHECK(std::abs(adjusted_rand_index(table) - golden["ari"].get<double>()) < kTolerance);
  }
}

TEST_CASE("all three protocols equal their definitions over scipy's matching") {
  for (const auto& golden : method_golden("metrics")) {
    CAPTURE(golden.dump());
    const Contingency table = golden_table(golden);
    const std::size_t known = golden["known"];
    check_accuracy(orca_accuracy(table, known), golden["orca"]);
    check_accuracy(gcd_v1_accuracy(table, known), golden["gcd_v1"]);
    check_accuracy(gcd_v2_accuracy(table, known), golden["gcd_v2"]);
  }
}

TEST_CASE("the protocols differ where groups are shared and indices permuted") {
  // Class 0 is in group 1, class 1 in group 0; novel class 2 mostly shares group 1 with class 0.
  const Labels classes = {0, 0, 0, 1, 1, 2, 2, 2, 2};
  const Labels groups = {1, 1, 1, 0, 0, 1, 1, 1, 2};
  const Contingency table = count_contingency(groups, classes, 3, 3);
  const OpenWorldAccuracy orca = orca_accuracy(table, 2);
  CHECK_EQ(orca.known.correct, 0);
  CHECK_EQ(orca.novel.correct, 3);
  CHECK_EQ(orca.all.correct, 6);
  const OpenWorldAccuracy v1 = gcd_v1_accuracy(table, 2);
  CHECK_EQ(v1.known.correct, 5);
  CHECK_EQ(v1.novel.correct, 3);
  CHECK_EQ(v1.all.correct, 8);
  const OpenWorldAccuracy v2 = gcd_v2_accuracy(table, 2);
  CHECK_EQ(v2.known.correct, 5);
  CHECK_EQ(v2.novel.correct, 1);
  CHECK_EQ(v2.all.correct, 6);
}

TEST_CASE("renaming groups changes no score but the plain accuracy of known classes") {
  const auto golden = method_golden("metrics")[4];
  const Contingency table = golden_table(golden);
  Contingency renamed = table;
  std::rotate(renamed.counts.begin(),
              renamed.counts.begin() + static_cast<std::ptrdiff_t>(3 * table.classes),
              renamed.counts.end());
  CHECK_EQ(orca_accuracy(renamed, 5).all.correct, orca_accuracy(table, 5).all.correct);
  CHECK_EQ(orca_accuracy(renamed, 5).novel.correct, orca_accuracy(table, 5).novel.correct);
  CHECK_NE(orca_accuracy(renamed, 5).known.correct, orca_accuracy(table, 5).known.correct);
  CHECK_EQ(gcd_v1_accuracy(renamed, 5).known.correct, gcd_v1_accuracy(table, 5).known.correct);
  CHECK_EQ(gcd_v2_accuracy(renamed, 5).all.correct, gcd_v2_accuracy(table, 5).all.correct);
  CHECK(normalized_mutual_information(renamed) ==
        doctest::Approx(normalized_mutual_information(table)).epsilon(kTolerance));
  CHECK_EQ(adjusted_rand_index(renamed), adjusted_rand_index(table));
}

TEST_CASE("an accuracy over no rows is zero of zero") {
  const Contingency only_known = count_contingency(Labels{0, 1}, Labels{0, 1}, 3, 4);
  for (const auto& protocol : {orca_accuracy, gcd_v1_accuracy, gcd_v2_accuracy}) {
    const OpenWorldAccuracy scores = protocol(only_known, 2);
    CHECK_EQ(scores.known.fraction(), 1.0);
    CHECK_EQ(scores.all.fraction(), 1.0);
    CHECK_EQ(scores.novel.rows, 0);
    CHECK_EQ(scores.novel.fraction(), 0.0);
  }
  const Contingency nothing = count_contingency({}, {}, 0, 0);
  CHECK_EQ(gcd_v2_accuracy(nothing, 0).all.fraction(), 0.0);
  CHECK_EQ(normalized_mutual_information(nothing), 1.0);
  CHECK_EQ(adjusted_rand_index(nothing), 1.0);
}

TEST_CASE("the table of classes sums to the matched accuracy") {
  for (const auto& golden : method_golden("metrics")) {
    const Contingency table = golden_table(golden);
    Accuracy sum;
    for (const ClassScore& score : class_scores(table)) {
      sum.correct += score.correct;
      sum.rows += score.rows;
      CHECK_LE(score.correct, score.group_rows);
      CHECK_LE(score.recall().fraction(), 1.0);
      CHECK_LE(score.precision().fraction(), 1.0);
    }
    CHECK_EQ(sum.rows, golden["rows"].get<std::int64_t>());
    CHECK_EQ(sum.correct, gcd_v2_accuracy(table, 0).all.correct);
  }
}

TEST_CASE("the confusion matrix has matched pairs on its diagonal and all groups once") {
  const Labels classes = {0, 0, 0, 1, 1, 2, 2, 2, 2};
  const Labels groups = {3, 3, 3, 0, 0, 1, 1, 1, 4};
  const ConfusionMatrix matrix = confusion_matrix(count_contingency(groups, classes, 5, 3));
  CHECK_EQ(matrix.groups, Labels{3, 0, 1, 2, 4});
  CHECK_EQ(matrix.counts, std::vector<std::int64_t>{3, 0, 0, 0, 0,  //
                                                    0, 2, 0, 0, 0,  //
                                                    0, 0, 3, 0, 1});
}

TEST_CASE("a class without a group is said to have none") {
  const Contingency table = count_contingency(Labels{0, 0, 0}, Labels{0, 0, 1}, 1, 2);
  const std::vector<ClassScore> scores = class_scores(table);
  CHECK_EQ(scores[0].group, 0);
  CHECK_EQ(scores[0].precision().fraction(), doctest::Approx(2.0 / 3.0));
  CHECK_EQ(scores[1].group, -1);
  CHECK_EQ(scores[1].recall().fraction(), 0.0);
}

TEST_CASE("labels outside their range and unequal lengths are refused") {
  CHECK_THROWS_WITH_AS(count_contingency(Labels{0, 3}, Labels{0, 0}, 3, 1),
                       "[contingency] row 1 has group 3, expected 0 or more and below 3",
                       ShapeError);
  CHECK_THROWS_WITH_AS(count_contingency(Labels{0}, Labels{-1}, 3, 1),
                       "[contingency] row 0 has class -1, expected 0 or more and below 1",
                       ShapeError);
  CHECK_THROWS_AS(count_contingency(Labels{0}, Labels{}, 1, 1), ShapeError);
  CHECK_THROWS_AS(orca_accuracy(count_contingency({}, {}, 2, 2), 3), ShapeError);
}

TEST_SUITE_END();

}  // namespace opencd::test
