#include "data/batches.hpp"

#include "error.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace opencd::test {

using namespace data;

namespace {

std::vector<std::uint32_t> counting(std::uint32_t first, std::uint32_t count) {
  std::vector<std::uint32_t> rows(count);
  std::iota(rows.begin(), rows.end(), first);
  return rows;
}

OpenWorldBatches cifar_batches(std::uint32_t labeled, std::uint32_t seed) {
  return {counting(0, labeled), counting(labeled, 50'000 - labeled), 512, seed};
}

}  // namespace

TEST_SUITE_BEGIN("data/batches");

TEST_CASE("parts and steps are the published ones") {
  CHECK_EQ(cifar_batches(2'597, 0).parts().labeled, 26);
  CHECK_EQ(cifar_batches(2'597, 0).parts().unlabeled, 486);
  CHECK_EQ(cifar_batches(2'597, 0).steps_per_epoch(), 99);
  CHECK_EQ(cifar_batches(12'597, 0).parts().labeled, 128);
  CHECK_EQ(cifar_batches(12'597, 0).parts().unlabeled, 384);
  CHECK_EQ(cifar_batches(12'597, 0).steps_per_epoch(), 98);
  const std::size_t rows[] = {492, 1021, 1558, 2104, 2597, 3113, 3611, 4093, 4630};
  const std::size_t parts[] = {5, 10, 15, 21, 26, 31, 36, 41, 47};
  for (int i = 0; i < 9; ++i)
    CHECK_EQ(batch_parts(512, rows[i], 50'000 - rows[i]).labeled, parts[i]);
}

TEST_CASE("no part is empty where there are rows for it") {
  CHECK_EQ(batch_parts(64, 3, 100'000).labeled, 1);
  CHECK_EQ(batch_parts(64, 0, 100).labeled, 0);
  CHECK_EQ(batch_parts(64, 100, 0).labeled, 64);
  CHECK_EQ(batch_parts(64, 100'000, 3).unlabeled, 1);
  CHECK_THROWS_AS(batch_parts(64, 0, 0), UsageError);
}

TEST_CASE("an epoch takes labelled rows once and cycles the unlabelled ones") {
  OpenWorldBatches batches = cifar_batches(2'597, 7);
  std::set<std::uint32_t> labeled;
  std::set<std::uint32_t> unlabeled;
  std::vector<Batch> epoch;
  for (std::size_t step = 0; step < batches.steps_per_epoch(); ++step) {
    epoch.push_back(batches.next());
    const Batch& batch = epoch.back();
    REQUIRE_EQ(batch.rows.size(), 512);
    REQUIRE_EQ(batch.labeled, 26);
    for (std::size_t i = 0; i < 512; ++i) {
      CHECK_EQ(batch.rows[i] < 2'597, i < 26);
      (i < 26 ? labeled : unlabeled).insert(batch.rows[i]);
    }
  }
  CHECK_EQ(labeled.size(), 99 * 26);
  CHECK_EQ(unlabeled.size(), 97 * 486);
  // Steps 97 and 98 bring the unlabelled rows of steps 0 and 1 again.
  for (const std::size_t again : {0, 1})
    CHECK(std::equal(epoch[again].rows.begin() + 26, epoch[again].rows.end(),
                     epoch[again + 97].rows.begin() + 26));
  CHECK_EQ(batches.position(), BatchPosition{1, 0});
}

TEST_CASE("any position continues as the straight run does") {
  OpenWorldBatches straight(counting(0, 40), counting(40, 100), 14, 3);
  std::vector<BatchPosition> positions;
  std::vector<Batch> taken;
  for (int i = 0; i < 35; ++i) {
    positions.push_back(straight.position());
    taken.push_back(straight.next());
  }
  for (std::size_t i = 0; i < taken.size(); ++i) {
    OpenWorldBatches resumed(counting(0, 40), counting(40, 100), 14, 3);
    resumed.seek(positions[i]);
    for (std::size_t j = i; j < taken.size(); ++j) CHECK_EQ(resumed.next().rows, taken[j].rows);
  }
  CHECK_THROWS_AS(straight.seek({0, straight.steps_per_epoch()}), UsageError);
}

TEST_CASE("epochs, seeds and streams have orders of their own") {
  const std::vector<std::uint32_t> rows = counting(0, 1000);
  const auto base = shuffled(rows, 1, 0, 0);
  CHECK_EQ(base, shuffled(rows, 1, 0, 0));
  CHECK_NE(base, shuffled(rows, 2, 0, 0));
  CHECK_NE(base, shuffled(rows, 1, 1, 0));
  CHECK_NE(base, shuffled(rows, 1, 0, 1));
  auto sorted = base;
  std::sort(sorted.begin(), sorted.end());
  CHECK_EQ(sorted, rows);
}

TEST_CASE("a shuffle puts every row anywhere with the same probability") {
  constexpr int kRows = 8;
  constexpr int kRounds = 40'000;
  double counts[kRows][kRows] = {};
  const auto rows = counting(0, kRows);
  for (std::uint32_t round = 0; round < kRounds; ++round) {
    const auto order = shuffled(rows, 11, round, 0);
    for (int place = 0; place < kRows; ++place)
      ++counts[order[static_cast<std::size_t>(place)]][place];
  }
  // Standard deviation of a count is 66; five of them is a one in a million event per cell.
  for (const auto& row : counts)
    for (const double count : row) CHECK_LT(std::abs(count - kRounds / kRows), 5 * 66);
}

TEST_CASE("batches that cannot be filled are refused") {
  CHECK_THROWS_AS(OpenWorldBatches(counting(0, 10), counting(10, 10), 0, 0), UsageError);
  CHECK_THROWS_AS(OpenWorldBatches(counting(0, 10), counting(10, 10), 64, 0), UsageError);
  CHECK_THROWS_AS(cut_batches(counting(0, 10), 11), UsageError);
  CHECK_EQ(cut_batches(counting(0, 10), 4).size(), 2);
}

TEST_CASE("without labels an epoch is a pass over the unlabelled rows") {
  OpenWorldBatches batches({}, counting(0, 100), 32, 0);
  CHECK_EQ(batches.steps_per_epoch(), 3);
  CHECK_EQ(batches.next().labeled, 0);
}

TEST_CASE("weighted draws follow their weights") {
  const double weights[] = {1.0, 0.0, 3.0, 4.0, 0.0};
  const WeightedSampler sampler(weights);
  constexpr std::size_t kDraws = 80'000;
  std::vector<double> counts(5, 0.0);
  for (const std::uint32_t row : sampler.draw(kDraws, 5, 2)) ++counts[row];
  for (std::size_t row = 0; row < 5; ++row)
    CHECK_LT(std::abs(counts[row] - kDraws * weights[row] / 8.0), 5 * std::sqrt(kDraws / 4.0));
  CHECK_EQ(counts[1] + counts[4], 0.0);
  CHECK_EQ(sampler.draw(10, 5, 2), sampler.draw(10, 5, 2));
  CHECK_NE(sampler.draw(10, 5, 2), sampler.draw(10, 5, 3));
  CHECK_THROWS_AS(WeightedSampler(std::vector<double>{0.0, 0.0}), UsageError);
  CHECK_THROWS_AS(WeightedSampler(std::vector<double>{1.0, -1.0}), UsageError);
  CHECK_THROWS_AS(WeightedSampler(std::vector<double>{}), UsageError);
}

TEST_CASE("half of a GCD batch is labelled in expectation") {
  const auto labeled = counting(0, 2'597);
  const WeightedSampler sampler(gcd_weights(labeled, 50'000));
  std::size_t count = 0;
  for (const std::uint32_t row : sampler.draw(50'000, 1, 0)) count += row < 2'597;
  CHECK_LT(std::abs(static_cast<double>(count) - 25'000), 5 * 112);
}

TEST_SUITE_END();

}  // namespace opencd::test
