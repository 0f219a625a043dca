#include "kernels/feature_views.hpp"

#include "bench/feature_view_reference.hpp"
#include "support/compare.hpp"
#include "support/matrices.hpp"
#include "support/message.hpp"

#include <algorithm>

namespace opencd::test {

namespace {

using kernels::FeatureViewConfig;
using kernels::FeatureViewKey;

struct ViewProblem {
  MatrixShape shape;  // of all features
  std::vector<float> values;
  std::vector<std::int32_t> rows;  // that a view is made of
};

ViewProblem problem(MatrixShape shape, std::size_t count, std::uint32_t seed = 3) {
  Random random(seed);
  ViewProblem p{shape, random.normals(shape.size()), std::vector<std::int32_t>(count)};
  for (std::int32_t& row : p.rows)
    row = static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(shape.rows)));
  return p;
}

std::vector<float> views(const ViewProblem& p,
                         const FeatureViewConfig& config,
                         const FeatureViewKey& key) {
  const auto src = kernels::to_device(test_device(), p.values);
  const auto rows = kernels::to_device(test_device(), p.rows);
  const kernels::Buffer<float> dst(test_device(), p.rows.size() * p.shape.columns);
  kernels::feature_views(test_device(), rows_of(src, p.shape), rows,
                         dst.rows(p.rows.size(), p.shape.columns), config, key);
  return kernels::to_host(test_device(), dst);
}

std::vector<double> reference(const ViewProblem& p,
                              const FeatureViewConfig& config,
                              const FeatureViewKey& key) {
  std::vector<double> expected;
  for (const std::int32_t row : p.rows)
    for (std::size_t c = 0; c < p.shape.columns; ++c) {
      const auto from = static_cast<std::size_t>(row);
      expected.push_back(
          bench::reference_view(p.values[from * p.shape.columns + c], from, c, config, key));
    }
  return expected;
}

}  // namespace

TEST_SUITE_BEGIN("kernels/feature_views");

TEST_CASE("views are those of the formula at awkward sizes") {
  const FeatureViewConfig config{.dropout = 0.3f, .noise = 0.7f};
  for (const MatrixShape shape :
       {MatrixShape{1, 1}, {3, 2}, {5, 15}, {7, 64}, {40, 257}, {300, 33}}) {
    CAPTURE(shape);
    for (const std::size_t count : {1, 17, 64}) {
      const ViewProblem p = problem(shape, count);
      const FeatureViewKey key{.seed = 9, .step = 12345, .view = 1};
      CHECK_CLOSE(views(p, config, key), reference(p, config, key), 1e-5, 1e-5);
    }
  }
}

TEST_CASE("without dropout and noise a view is an exact copy") {
  const ViewProblem p = problem({50, 21}, 33);
  const std::vector<float> copied = views(p, {}, {.seed = 1});
  for (std::size_t i = 0; i < copied.size(); ++i)
    REQUIRE_EQ(copied[i], p.values[static_cast<std::size_t>(p.rows[i / 21]) * 21 + i % 21]);
}

TEST_CASE("mean and deviation are kept up to the noise, and the share asked for is dropped") {
  ViewProblem p = problem({1000, 200}, 1000);
  std::fill(p.values.begin(), p.values.end(), 1.0f);
  for (std::size_t i = 0; i < p.rows.size(); ++i) p.rows[i] = static_cast<std::int32_t>(i);
  double sum = 0.0;
  double squares = 0.0;
  for (const float value : views(p, {.noise = 0.5f}, {.seed = 4})) {
    sum += value - 1.0;
    squares += (value - 1.0) * (value - 1.0);
  }
  const double count = static_cast<double>(p.values.size());
  CHECK_LT(std::abs(sum / count), 0.006);  // five standard errors
  CHECK_LT(std::abs(squares / count - 0.25), 0.004);
  const auto kept = views(p, {.dropout = 0.2f}, {.seed = 4});
  const auto zeros = static_cast<double>(std::count(kept.begin(), kept.end(), 0.0f));
  CHECK_LT(std::abs(zeros / count - 0.2), 0.0045);
}

TEST_CASE("a row's view depends on seed, step, view and row, not on the batch") {
  const FeatureViewConfig config{.dropout = 0.1f, .noise = 0.5f};
  const ViewProblem whole = problem({20, 10}, 20);
  ViewProblem alone = whole;
  alone.rows = {whole.rows[7]};
  const std::vector<float> all = views(whole, config, {1, 2, 0});
  const std::vector<float> one = views(alone, config, {1, 2, 0});
  CHECK_CLOSE(one, std::vector<float>(all.begin() + 70, all.begin() + 80), 1e-6, 1e-6);
  CHECK(views(alone, config, {1, 2, 1}) != one);
  CHECK(views(alone, config, {1, 3, 0}) != one);
  CHECK(views(alone, config, {2, 2, 0}) != one);
}

TEST_CASE("refuses shapes that do not fit and a dropout of everything") {
  const auto src = kernels::to_device(test_device(), std::vector<float>(12));
  const auto rows = kernels::to_device(test_device(), std::vector<std::int32_t>{0, 1});
  const kernels::Buffer<float> dst(test_device(), 8);
  const auto make = [&](std::size_t count, std::size_t columns, FeatureViewConfig config) {
    return message_of<ShapeError>([&] {
      kernels::feature_views(test_device(), src.rows(3, 4), rows, dst.rows(count, columns), config,
                             {});
    });
  };
  CHECK_CONTAINS(make(4, 2, {}), "expected 2 rows, got 4");
  CHECK_CONTAINS(make(2, 4, {.dropout = 1.0f}), "dropout in [0, 1)");
}

TEST_SUITE_END();

}  // namespace opencd::test
