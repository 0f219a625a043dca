#include "data/epoch_rows.hpp"

#include "error.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <set>

namespace opencd::test {

namespace {

using data::EpochRows;
using data::Sampling;
using data::SamplingConfig;
using Rows = std::vector<std::uint32_t>;

/// The first `labeled` of `rows` rows are labelled.
EpochRows epoch_rows(std::size_t labeled,
                     std::size_t rows,
                     std::size_t batch,
                     const SamplingConfig& config) {
  Rows first(labeled);
  std::iota(first.begin(), first.end(), 0U);
  Rows rest(rows - labeled);
  std::iota(rest.begin(), rest.end(), static_cast<std::uint32_t>(labeled));
  return {first, rest, batch, 7, config};
}

}  // namespace

TEST_SUITE_BEGIN("data/epoch_rows");

TEST_CASE("an epoch is the same however often it is asked for, and no two are") {
  for (const SamplingConfig& config :
       {SamplingConfig{}, SamplingConfig{Sampling::balanced},
        SamplingConfig{Sampling::fixed_share, 0.25}, SamplingConfig{Sampling::least_share, 0.25},
        SamplingConfig{Sampling::all_rows}}) {
    EpochRows rows = epoch_rows(30, 100, 16, config);
    const Rows third = rows.of(3);
    CHECK_EQ(third.size(), rows.steps().usual * 16);
    CHECK(rows.of(0) != third);
    CHECK(rows.of(3) == third);
  }
}

TEST_CASE("open-world epochs are those of OpenWorldBatches") {
  EpochRows rows = epoch_rows(30, 100, 16, {});
  Rows first(30);
  std::iota(first.begin(), first.end(), 0U);
  Rows rest(70);
  std::iota(rest.begin(), rest.end(), 30U);
  data::OpenWorldBatches batches(first, rest, 16, 7);
  CHECK_EQ(rows.steps().usual, batches.steps_per_epoch());
  batches.seek({2, 0});
  CHECK_FALSE(rows.repeats(2));
  Rows expected;
  for (std::size_t step = 0; step < rows.steps().usual; ++step) {
    const data::Batch batch = batches.next();
    expected.insert(expected.end(), batch.rows.begin(), batch.rows.end());
  }
  CHECK(rows.of(2) == expected);
}

TEST_CASE("half of a balanced epoch is labelled, about") {
  EpochRows rows = epoch_rows(50, 1000, 100, {Sampling::balanced});
  CHECK_EQ(rows.steps().usual, 10);
  CHECK(rows.repeats(0));
  const Rows epoch = rows.of(0);
  const auto labelled =
      std::count_if(epoch.begin(), epoch.end(), [](std::uint32_t row) { return row < 50; });
  CHECK(labelled == doctest::Approx(500).epsilon(0.1));
}

TEST_CASE("a fixed share of every batch is labelled, and no unlabelled row comes twice") {
  EpochRows rows = epoch_rows(10, 100, 16, {Sampling::fixed_share, 1.0 / 8});
  CHECK_EQ(rows.steps().usual, 90 / 14);
  const Rows epoch = rows.of(1);
  std::multiset<std::uint32_t> seen(epoch.begin(), epoch.end());
  for (std::size_t i = 0; i < epoch.size(); ++i) {
    CHECK_EQ(epoch[i] < 10, i % 16 < 2);
    if (epoch[i] >= 10) CHECK_EQ(seen.count(epoch[i]), 1);
  }
  // 12 labelled places of 10 rows: each comes once before any comes twice
  for (std::uint32_t row = 0; row < 10; ++row) CHECK_GE(seen.count(row), 1);
}

TEST_CASE("a least share of labelled rows is what the set has, where that is more") {
  const auto labelled_in_first_batch = [](std::size_t labeled, double share) {
    const Rows epoch = epoch_rows(labeled, 100, 20, {Sampling::least_share, share}).of(0);
    return std::count_if(epoch.begin(), epoch.begin() + 20,
                         [&](std::uint32_t row) { return row < labeled; });
  };
  CHECK_EQ(labelled_in_first_batch(10, 0.25), 5);
  CHECK_EQ(labelled_in_first_batch(60, 0.25), 12);
  CHECK_EQ(labelled_in_first_batch(99, 0.25), 19);  // an unlabelled row is in every batch
}

TEST_CASE("a pass over all rows takes each once, whether labelled or not") {
  EpochRows rows = epoch_rows(30, 100, 16, {Sampling::all_rows});
  CHECK_EQ(rows.steps().usual, 6);
  CHECK_FALSE(rows.repeats(1));
  const Rows epoch = rows.of(1);
  const std::set<std::uint32_t> seen(epoch.begin(), epoch.end());
  CHECK_EQ(seen.size(), 96);
  CHECK_LT(*seen.rbegin(), 100);
  CHECK(epoch == epoch_rows(0, 100, 16, {Sampling::all_rows}).of(1));
}

TEST_CASE("the first epochs may be of labelled rows alone, a pass over them each") {
  EpochRows rows = epoch_rows(35, 100, 16, {.labeled_epochs = 2});
  EpochRows usual = epoch_rows(35, 100, 16, {});
  CHECK_EQ(rows.steps().of(0), 2);  // the last incomplete batch is dropped
  CHECK_EQ(rows.steps().of(1), 2);
  CHECK_EQ(rows.steps().of(2), usual.steps().of(2));
  CHECK_GT(usual.steps().of(0), 2);
  for (const std::uint32_t epoch : {0U, 1U}) {
    CHECK_FALSE(rows.repeats(epoch));
    const Rows drawn = rows.of(epoch);
    const std::set<std::uint32_t> seen(drawn.begin(), drawn.end());
    CHECK_EQ(drawn.size(), 32);
    CHECK_EQ(seen.size(), 32);  // no row twice
    CHECK_LT(*seen.rbegin(), 35);
  }
  CHECK(rows.of(0) != rows.of(1));
  CHECK_FALSE(rows.repeats(2));
  CHECK(rows.of(2) == usual.of(2));
  CHECK_THROWS_AS(epoch_rows(0, 100, 16, {.labeled_epochs = 1}), UsageError);
}

TEST_CASE(
    "labelled rows that do not fill a batch fill it by coming again, with views of their own") {
  EpochRows rows = epoch_rows(5, 100, 16, {.labeled_epochs = 1});
  CHECK_EQ(rows.steps().of(0), 1);
  CHECK(rows.repeats(0));
  const Rows drawn = rows.of(0);
  const std::multiset<std::uint32_t> seen(drawn.begin(), drawn.end());
  REQUIRE_EQ(drawn.size(), 16);
  for (std::uint32_t row = 0; row < 5; ++row) CHECK_GE(seen.count(row), 3);
  CHECK_LT(*seen.rbegin(), 5);
}

TEST_CASE("steps of a run are counted over epochs of different lengths") {
  const data::EpochSteps steps{.usual = 20, .labeled = 3, .labeled_epochs = 2};
  CHECK_EQ(steps.before(0), 0);
  CHECK_EQ(steps.before(1), 3);
  CHECK_EQ(steps.before(2), 6);
  CHECK_EQ(steps.before(5), 66);
  CHECK_EQ(steps.most(), 20);
  std::size_t step = 0;
  for (std::size_t epoch = 0; epoch < 5; ++epoch) {
    CHECK_EQ(steps.before(epoch), step);
    for (std::size_t i = 0; i < steps.of(epoch); ++i) CHECK_EQ(steps.epoch_of(step++), epoch);
  }
  CHECK_EQ((data::EpochSteps{.usual = 4}.before(3)), 12);
  CHECK_EQ((data::EpochSteps{.usual = 4, .labeled = 9, .labeled_epochs = 1}.most()), 9);
}

TEST_CASE("a batch of more rows than there are is refused, and either kind may be missing") {
  CHECK_THROWS_AS(epoch_rows(10, 20, 21, {}), UsageError);
  CHECK_THROWS_AS(epoch_rows(18, 20, 16, {Sampling::fixed_share, 0.5}), UsageError);
  for (const std::size_t labeled : {0, 20}) {
    EpochRows rows = epoch_rows(labeled, 20, 5, {Sampling::fixed_share, 0.5});
    CHECK_EQ(rows.of(0).size(), 20);
  }
}

TEST_SUITE_END();

}  // namespace opencd::test
