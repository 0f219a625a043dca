#include "opencd/counting/dipdeck_loss.hpp"

#include "opencd/counting/distances.hpp"
#include "support/gradient_check.hpp"
#include "support/random.hpp"

#include <doctest/doctest.h>

namespace opencd::test {

namespace {

constexpr std::size_t kColumns = 3;

struct Case {
  std::vector<float> rows;
  std::vector<float> centres;
  std::vector<std::int32_t> cluster_of;
  std::vector<double> belonging;

  explicit Case(std::size_t clusters) {
    Random random(static_cast<std::uint32_t>(clusters));
    rows = random.normals(8 * kColumns);
    centres = random.normals(clusters * kColumns);
    for (std::size_t i = 0; i < 8; ++i)
      cluster_of.push_back(static_cast<std::int32_t>(i % clusters));
    for (std::size_t i = 0; i < clusters * clusters; ++i)
      belonging.push_back(0.1 + 0.05 * static_cast<double>(i % 7));
  }

  DipDeckLoss loss() const {
    return dipdeck_loss({rows, centres, kColumns, cluster_of, belonging});
  }
};

}  // namespace

TEST_SUITE_BEGIN("opencd/counting/dipdeck_loss");

TEST_CASE("gradients of rows and centres match finite differences") {
  for (const std::size_t clusters : {1, 2, 3, 6}) {
    CAPTURE(clusters);
    const Case start(clusters);
    const DipDeckLoss loss = start.loss();
    CHECK_EQ(gradient_difference(start.rows, loss.diff_rows,
                                 [&](const auto& at) {
                                   Case moved = start;
                                   moved.rows = at;
                                   return moved.loss().value;
                                 }),
             "");
    CHECK_EQ(gradient_difference(start.centres, loss.diff_centres,
                                 [&](const auto& at) {
                                   Case moved = start;
                                   moved.centres = at;
                                   return moved.loss().value;
                                 }),
             "");
  }
}

TEST_CASE("two clusters, by hand") {
  Case one(2);
  one.rows = {1, 0, 0};
  one.cluster_of = {0};
  one.centres = {0, 0, 0, 4, 0, 0};  // 4 apart, without a deviation
  one.belonging = {0.75, 0.25, 0.5, 0.5};
  CHECK_EQ(one.loss().value, doctest::Approx((0.75 * 1.0 + 0.25 * 9.0) / 4.0));
}

TEST_CASE("the loss grows with the unit of the space, and stays finite where centres coincide") {
  const Case start(4);
  Case twice = start;
  for (float& value : twice.rows) value *= 2.0f;
  for (float& value : twice.centres) value *= 2.0f;
  Case none = start;
  none.centres = std::vector<float>(none.centres.size(), 0.5f);  // all the same: no scale
  CHECK_GT(twice.loss().value, start.loss().value);
  CHECK(std::isfinite(none.loss().value));
}

TEST_CASE("rows go to the nearest centre, the first of equally near ones") {
  const std::vector<float> rows = {0, 0, 3, 0, 1, 0};
  const std::vector<float> centres = {0, 0, 2, 0, 4, 0};
  CHECK_EQ(nearest_centres(rows, centres, 2), std::vector<std::int32_t>{0, 1, 0});
}

TEST_SUITE_END();

}  // namespace opencd::test
