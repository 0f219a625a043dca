#include "opencd/counting/dipdeck.hpp"

#include "support/gaussians.hpp"

#include <doctest/doctest.h>

#include <set>

namespace opencd::test {

namespace {

/// Small layers, so that a test takes seconds.
DipDeckOptions small(std::uint32_t seed) {
  return {.clusters = 14,
          .pretrain_epochs = 10,
          .epochs = 8,
          .batch = 128,
          .rate = 1e-3,
          .hidden = {32, 32},
          .embedding = 4,
          .seed = seed};
}

DipDeckResult count(std::vector<float> rows, std::size_t columns, const DipDeckOptions& options) {
  double squares = 0.0;
  for (const float value : rows) squares += value * value;
  const double deviation = std::sqrt(squares / static_cast<double>(rows.size()));
  for (float& value : rows) value = static_cast<float>(value / deviation);
  const nn::Engine engine(test_device());
  const auto src = kernels::to_device(test_device(), rows);
  return dipdeck(engine, src.rows(rows.size() / columns, columns), options,
                 [](const std::string&, std::size_t, std::size_t) {});
}

}  // namespace

TEST_SUITE_BEGIN("opencd/counting/dipdeck");

TEST_CASE("planted blobs are counted to the neighbour, and their rows stay together") {
  for (const std::size_t clusters : {3, 5})
    for (const std::uint32_t seed : {1U, 2U}) {
      CAPTURE(clusters);
      CAPTURE(seed);
      const auto rows = gaussian_rows(
          {.clusters = clusters, .columns = 10, .rows_each = 6000 / clusters, .seed = seed});
      const DipDeckResult result = count(rows, 10, small(seed));
      const std::size_t found = result.centres.size() / 4;
      CHECK_GE(found + 1, clusters);
      CHECK_LE(found, clusters + 1);
      CHECK_EQ(std::set<std::int32_t>(result.cluster_of.begin(), result.cluster_of.end()).size(),
               found);
      std::size_t together = 0;
      for (std::size_t row = 0; row < result.cluster_of.size(); ++row)
        together += result.cluster_of[row] == result.cluster_of[row % clusters] ? 1 : 0;
      CHECK_GE(together, result.cluster_of.size() * 7 / 10);
    }
}

TEST_CASE("planted blobs are counted by the authors' own settings") {
  const auto rows = gaussian_rows({.clusters = 5, .columns = 10, .rows_each = 120, .seed = 1});
  const DipDeckOptions options{.seed = 1};
  const DipDeckResult result = count(rows, 10, options);
  CHECK_EQ(result.centres.size(), 5 * static_cast<std::size_t>(options.embedding));
  std::size_t together = 0;
  for (std::size_t row = 0; row < 600; ++row)
    together += result.cluster_of[row] == result.cluster_of[row % 5] ? 1 : 0;
  CHECK_GE(together, 570);
}

TEST_CASE("the same seed gives the same bits; more clusters than rows are no harm") {
  const auto rows = gaussian_rows({.clusters = 2, .columns = 3, .rows_each = 5});
  DipDeckOptions options = small(4);
  options.pretrain_epochs = 3;
  options.epochs = 2;
  const DipDeckResult first = count(rows, 3, options);
  const DipDeckResult second = count(rows, 3, options);
  CHECK_EQ(first.embedded, second.embedded);
  CHECK_EQ(first.cluster_of, second.cluster_of);
}

TEST_CASE("what the watch throws ends the counting") {
  const auto rows = gaussian_rows({.clusters = 2, .columns = 3});
  const nn::Engine engine(test_device());
  const auto src = kernels::to_device(test_device(), rows);
  std::size_t calls = 0;
  CHECK_THROWS_AS(dipdeck(engine, src.rows(240, 3), small(1),
                          [&](const std::string&, std::size_t, std::size_t) {
                            if (++calls == 3) throw std::runtime_error("enough");
                          }),
                  std::runtime_error);
  CHECK_EQ(calls, 3);
}

TEST_SUITE_END();

}  // namespace opencd::test
