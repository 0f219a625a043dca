#include "kernels/groups.hpp"

#include "support/compare.hpp"
#include "support/matrices.hpp"

#include <numeric>

namespace opencd::test {

namespace {

using kernels::Buffer;
using kernels::PrototypeGroups;

std::vector<std::int32_t> random_groups(std::size_t prototypes,
                                        std::size_t groups,
                                        Random& random) {
  std::vector<std::int32_t> group_of(prototypes);
  for (std::int32_t& group : group_of)
    group = static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(groups)));
  return group_of;
}

}  // namespace

TEST_SUITE_BEGIN("kernels/groups");

TEST_CASE("q = p M^T and its gradient match the double reference at awkward sizes") {
  for (const MatrixShape shape : awkward_shapes()) {
    const std::size_t groups = shape.columns / 3 + 1;
    CAPTURE(shape);
    Random random(41);
    const auto group_of = random_groups(shape.columns, groups, random);
    const PrototypeGroups index(test_device(), group_of, groups);
    const std::vector<float> p = random.normals(shape.size());
    const std::vector<float> dq = random.normals(shape.rows * groups);

    std::vector<double> expected_q(shape.rows * groups, 0.0);
    std::vector<double> expected_dp(shape.size());
    for (std::size_t i = 0; i < p.size(); ++i) {
      const std::size_t at =
          i / shape.columns * groups + static_cast<std::size_t>(group_of[i % shape.columns]);
      expected_q[at] += p[i];
      expected_dp[i] = dq[at];
    }
    const auto dev_p = kernels::to_device(test_device(), p);
    const auto dev_dq = kernels::to_device(test_device(), dq);
    Buffer<float> q(test_device(), shape.rows * groups);
    Buffer<float> dp(test_device(), shape.size());
    kernels::aggregate_groups(test_device(), index, rows_of(dev_p, shape),
                              q.rows(shape.rows, groups));
    kernels::aggregate_groups_backward(test_device(), index, dev_dq.rows(shape.rows, groups),
                                       rows_of(dp, shape));
    CHECK_CLOSE(kernels::to_host(test_device(), q), expected_q, .rtol = 1e-5, .atol = 1e-5);
    CHECK_CLOSE(kernels::to_host(test_device(), dp), expected_dp, .rtol = 0.0, .atol = 0.0);
  }
}

TEST_CASE("every prototype its own group gives q = p") {
  const MatrixShape shape{64, 50};
  std::vector<std::int32_t> identity(shape.columns);
  std::iota(identity.begin(), identity.end(), 0);
  const PrototypeGroups index(test_device(), identity, shape.columns);
  Random random(42);
  const std::vector<float> p = random.normals(shape.size());
  const auto dev_p = kernels::to_device(test_device(), p);
  Buffer<float> q(test_device(), shape.size());
  kernels::aggregate_groups(test_device(), index, rows_of(dev_p, shape), rows_of(q, shape));
  CHECK(kernels::to_host(test_device(), q) == p);
}

TEST_CASE("an empty group has no probability") {
  const PrototypeGroups index(test_device(), {0, 0, 2}, 3);
  const auto p = kernels::to_device(test_device(), std::vector<float>{0.25f, 0.5f, 0.25f});
  Buffer<float> q(test_device(), 3);
  kernels::aggregate_groups(test_device(), index, p.rows(1, 3), q.rows(1, 3));
  CHECK(kernels::to_host(test_device(), q) == std::vector<float>{0.75f, 0.0f, 0.25f});
}

TEST_CASE("rejects a group outside the range") {
  CHECK_THROWS_WITH_AS(PrototypeGroups(test_device(), {0, 3}, 3),
                       "[groups] expected groups from 0 to 2, got 3", ShapeError);
  CHECK_THROWS_AS(PrototypeGroups(test_device(), {-1}, 3), ShapeError);
}

TEST_SUITE_END();

}  // namespace opencd::test
