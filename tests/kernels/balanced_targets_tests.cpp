#include "kernels/balanced_targets.hpp"

#include "bench/method_loss_reference.hpp"
#include "error.hpp"
#include "support/compare.hpp"
#include "support/matrices.hpp"

#include <cmath>
#include <numeric>

namespace opencd::test {

namespace {

struct Sizes {
  std::size_t rows, prototypes, groups;
};

constexpr Sizes kSizes[] = {{1, 1, 1}, {2, 7, 3}, {17, 16, 16}, {33, 50, 10}, {130, 257, 31}};

/// Group probabilities as they come from a softmax.
std::vector<double> softmax_rows(const std::vector<float>& values,
                                 std::size_t columns,
                                 double tau) {
  std::vector<double> result(values.size());
  for (std::size_t row = 0; row < values.size() / columns; ++row) {
    double sum = 0.0;
    for (std::size_t c = 0; c < columns; ++c)
      sum += result[row * columns + c] = std::exp(values[row * columns + c] / tau);
    for (std::size_t c = 0; c < columns; ++c) result[row * columns + c] /= sum;
  }
  return result;
}

std::vector<double> grouped(const std::vector<double>& p, const Sizes& s) {
  std::vector<double> q(s.rows * s.groups, 0.0);
  for (std::size_t i = 0; i < p.size(); ++i)
    q[i / s.prototypes * s.groups + i % s.prototypes % s.groups] += p[i];
  return q;
}

std::vector<std::int32_t> group_of(const Sizes& s) {
  std::vector<std::int32_t> result;
  for (std::size_t k = 0; k < s.prototypes; ++k)
    result.push_back(static_cast<std::int32_t>(k % s.groups));
  return result;
}

std::vector<float> uneven_shares(std::size_t groups) {
  std::vector<float> shares;
  for (std::size_t g = 0; g < groups; ++g) shares.push_back(1.0f + static_cast<float>(g % 3));
  const float sum = std::accumulate(shares.begin(), shares.end(), 0.0f);
  for (float& share : shares) share /= sum;
  return shares;
}

std::vector<float> floats(const std::vector<double>& values) {
  return {values.begin(), values.end()};
}

}  // namespace

TEST_SUITE_BEGIN("kernels/balanced_targets");

TEST_CASE("targets are those of the rounds at awkward sizes") {
  kernels::Device& device = test_device();
  for (const Sizes& s : kSizes) {
    CAPTURE(s.rows);
    CAPTURE(s.groups);
    const auto q = softmax_rows(bench::random_values(s.rows * s.groups, 3), s.groups, 0.3);
    const auto shares = uneven_shares(s.groups);
    const auto dev_q = to_device(device, floats(q));
    const auto dev_shares = to_device(device, shares);
    const kernels::Buffer<float> targets(device, q.size());
    kernels::Scratch scratch(device, kernels::balanced_targets_scratch_bytes(s.rows, s.groups));
    kernels::balanced_targets(device, scratch, dev_q.rows(s.rows, s.groups), dev_shares,
                              targets.rows(s.rows, s.groups), {.rounds = 4, .sharpness = 1.5f});
    CHECK_CLOSE(to_host(device, targets), bench::reference_balanced_targets(q, shares, 4, 1.5),
                .rtol = 1e-4, .atol = 1e-6);
  }
}

TEST_CASE("after many rounds every group has its share, though one was liked by all rows") {
  kernels::Device& device = test_device();
  const std::size_t rows = 40;
  std::vector<float> values = bench::random_values(rows * 4, 8);
  for (std::size_t row = 0; row < rows; ++row) values[4 * row + 2] += 1.0f;
  const auto q = to_device(device, floats(softmax_rows(values, 4, 0.5)));
  const auto shares = to_device(device, std::vector<float>(4, 0.25f));
  const kernels::Buffer<float> targets(device, rows * 4);
  kernels::Scratch scratch(device, kernels::balanced_targets_scratch_bytes(rows, 4));
  kernels::balanced_targets(device, scratch, q.rows(rows, 4), shares, targets.rows(rows, 4),
                            {.rounds = 50});
  std::vector<double> means(4, 0.0);
  const std::vector<float> host = to_host(device, targets);
  for (std::size_t i = 0; i < host.size(); ++i) means[i % 4] += host[i] / double{rows};
  CHECK_CLOSE(means, std::vector<double>(4, 0.25), .rtol = 1e-3, .atol = 0.0);
}

TEST_CASE("a group without probability stays empty and harms no other") {
  kernels::Device& device = test_device();
  const auto q = to_device(device, std::vector<float>{0.25f, 0.0f, 0.75f, 0.5f, 0.0f, 0.5f});
  const auto shares = to_device(device, std::vector<float>(3, 1.0f / 3.0f));
  const kernels::Buffer<float> targets(device, 6);
  kernels::Scratch scratch(device, kernels::balanced_targets_scratch_bytes(2, 3));
  kernels::balanced_targets(device, scratch, q.rows(2, 3), shares, targets.rows(2, 3));
  const std::vector<float> host = to_host(device, targets);
  CHECK_EQ(host[1], 0.0f);
  CHECK(host[0] + host[2] == doctest::Approx(1.0));
  CHECK(host[3] + host[5] == doctest::Approx(1.0));
}

TEST_CASE("the loss against targets and its gradient are those of finite differences") {
  kernels::Device& device = test_device();
  constexpr double kTau = 0.2;
  for (const Sizes& s : kSizes) {
    CAPTURE(s.rows);
    CAPTURE(s.prototypes);
    const std::vector<float> cosines = bench::random_values(s.rows * s.prototypes, 9);
    const auto targets = softmax_rows(bench::random_values(s.rows * s.groups, 10), s.groups, 0.4);
    const auto loss_at = [&](const std::vector<float>& x) {
      const auto q = grouped(softmax_rows(x, s.prototypes, kTau), s);
      double loss = 0.0;
      for (std::size_t i = 0; i < q.size(); ++i) loss -= targets[i] * std::log(q[i] + 1e-8);
      return loss / static_cast<double>(s.rows);
    };
    const auto p = softmax_rows(cosines, s.prototypes, kTau);
    const auto dev_p = to_device(device, floats(p));
    const auto dev_q = to_device(device, floats(grouped(p, s)));
    const auto dev_targets = to_device(device, floats(targets));
    const kernels::PrototypeGroups groups(device, group_of(s), s.groups);
    const auto diff = to_device(device, std::vector<float>(cosines.size(), 1.0f));
    const kernels::Buffer<float> loss(device, 1);
    kernels::Scratch scratch(device, kernels::target_cross_entropy_scratch_bytes(s.rows));
    kernels::target_cross_entropy(device, scratch, groups,
                                  {dev_p.rows(s.rows, s.prototypes), dev_q.rows(s.rows, s.groups),
                                   dev_targets.rows(s.rows, s.groups)},
                                  diff.rows(s.rows, s.prototypes), loss,
                                  {.temperature = float{kTau}, .weight = 3.0f});
    CHECK(to_host(device, loss).front() == doctest::Approx(loss_at(cosines)).epsilon(1e-5));
    const std::vector<float> slopes = to_host(device, diff);
    for (std::size_t i = 0; i < cosines.size(); i += 1 + cosines.size() / 23) {
      constexpr float kStep = 1e-2f;
      std::vector<float> moved = cosines;
      moved[i] += kStep;
      const double above = loss_at(moved);
      moved[i] = cosines[i] - kStep;
      const double slope = (above - loss_at(moved)) / (2.0 * kStep);
      CHECK(slopes[i] - 1.0 == doctest::Approx(3.0 * slope).epsilon(0.02).scale(1e-2));
    }
  }
}

TEST_CASE("shapes that do not belong together are refused") {
  kernels::Device& device = test_device();
  const kernels::Buffer<float> x(device, 12);
  kernels::Scratch scratch(device, 4096);
  const kernels::PrototypeGroups groups(device, {0, 1, 1}, 2);
  CHECK_THROWS_AS(
      kernels::balanced_targets(device, scratch, x.rows(4, 3), x.view().slice(0, 2), x.rows(4, 3)),
      ShapeError);
  CHECK_THROWS_AS(kernels::balanced_targets(device, scratch, x.rows(4, 3), x.view().slice(0, 3),
                                            x.rows(4, 3), {.rounds = 0}),
                  ShapeError);
  const auto refuse = [&](kernels::Rows<float> p, kernels::Rows<float> q) {
    CHECK_THROWS_AS(
        kernels::target_cross_entropy(device, scratch, groups, {p, q, q}, p, x.view().slice(0, 1)),
        ShapeError);
  };
  float* const data = x.data();
  refuse({data, 4, 2}, {data, 4, 2});
  refuse({data, 4, 3}, {data, 4, 3});
  refuse({data, 4, 3}, {data, 3, 2});
  refuse({data, 0, 3}, {data, 0, 2});
}

TEST_SUITE_END();

}  // namespace opencd::test
