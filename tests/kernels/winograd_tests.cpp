#include "kernels/winograd.hpp"

#include "support/compare.hpp"
#include "support/matrices.hpp"

#include <array>
#include <cmath>
#include <limits>

namespace opencd::test {

namespace {

using kernels::NhwcShape;
using Matrix = std::vector<std::vector<double>>;

constexpr std::array<double, 5> kFinite = {0.0, 0.75, -0.75, 1.5, -1.5};  // the sixth is infinity

/// Row p of A and of G: the powers of a point; the highest one alone at infinity.
Matrix powers(std::size_t count) {
  Matrix rows;
  for (const double point : kFinite) {
    auto& row = rows.emplace_back();
    for (std::size_t k = 0; k < count; ++k) row.push_back(std::pow(point, static_cast<double>(k)));
  }
  rows.emplace_back(count, 0.0).back() = 1.0;
  return rows;
}

Matrix transposed(const Matrix& matrix) {
  Matrix result(matrix[0].size(), std::vector<double>(matrix.size()));
  for (std::size_t i = 0; i < matrix.size(); ++i)
    for (std::size_t j = 0; j < matrix[0].size(); ++j) result[j][i] = matrix[i][j];
  return result;
}

Matrix product(const Matrix& left, const Matrix& right) {
  Matrix result(left.size(), std::vector<double>(right[0].size()));
  for (std::size_t i = 0; i < left.size(); ++i)
    for (std::size_t j = 0; j < right[0].size(); ++j)
      for (std::size_t k = 0; k < right.size(); ++k) result[i][j] += left[i][k] * right[k][j];
  return result;
}

/// G: powers over the product of a point's distances to the others.
Matrix filter_matrix() {
  Matrix rows = powers(3);
  for (std::size_t i = 0; i < kFinite.size(); ++i)
    for (std::size_t k = 0; k < kFinite.size(); ++k)
      if (k != i)
        for (double& entry : rows[i]) entry /= kFinite[i] - kFinite[k];
  return rows;
}

/// B': the coefficients of the polynomial that vanishes at all finite points but its own.
Matrix input_matrix() {
  Matrix rows;
  for (std::size_t i = 0; i <= kFinite.size(); ++i) {
    std::vector<double> polynomial(6, 0.0);
    polynomial[0] = 1.0;
    for (std::size_t k = 0; k < kFinite.size(); ++k) {
      if (k == i) continue;
      for (std::size_t d = 6; d-- > 0;)
        polynomial[d] = (d > 0 ? polynomial[d - 1] : 0.0) - kFinite[k] * polynomial[d];
    }
    rows.push_back(polynomial);
  }
  return rows;
}

Matrix both_sides(const Matrix& matrix, const Matrix& x) {
  return product(product(matrix, x), transposed(matrix));
}

/// Single pictures and tiles, odd sides and channels that fit no vector or more than one group.
std::vector<NhwcShape> shapes() {
  return {{1, 1, 1, 1}, {1, 4, 4, 3}, {2, 5, 7, 17}, {3, 8, 9, 64}, {1, 7, 2, 300}};
}

double pixel(const NhwcShape& s,
             const std::vector<float>& x,
             std::size_t n,
             int row,
             int column,
             std::size_t c) {
  const int height = static_cast<int>(s.height);
  const int width = static_cast<int>(s.width);
  if (row < 0 || row >= height || column < 0 || column >= width) return 0.0;
  return x[((n * s.height + static_cast<std::size_t>(row)) * s.width +
            static_cast<std::size_t>(column)) *
               s.channels +
           c];
}

/// Calls body(picture, top, left, channel, index of the first point) for every tile and channel.
template <class Body>
void for_each_tile(const NhwcShape& s, Body body) {
  for (std::size_t tile = 0; tile < s.count * s.tiles(); ++tile)
    for (std::size_t c = 0; c < s.channels; ++c) {
      const std::size_t line = tile / s.tiles_across();
      body(line / s.tiles_down(), static_cast<int>(line % s.tiles_down() * 4),
           static_cast<int>(tile % s.tiles_across() * 4), c, tile * s.channels + c);
    }
}

/// matrix x matrix' of the side x side pixels that start `before` above and left of each tile.
std::vector<double> reference(
    const NhwcShape& s, const std::vector<float>& x, const Matrix& matrix, int side, int before) {
  std::vector<double> points(s.winograd_size(), 0.0);
  for_each_tile(s, [&](std::size_t n, int top, int left, std::size_t c, std::size_t first) {
    Matrix d;
    for (int i = 0; i < side; ++i) {
      auto& row = d.emplace_back();
      for (int j = 0; j < side; ++j)
        row.push_back(pixel(s, x, n, top - before + i, left - before + j, c));
    }
    const Matrix result = both_sides(matrix, d);
    for (std::size_t p = 0; p < 36; ++p) points[p * s.plane() + first] = result[p / 6][p % 6];
  });
  return points;
}

kernels::Buffer<float> zeros(std::size_t count) {
  return kernels::to_device(test_device(), std::vector<float>(count, 0.0f));
}

}  // namespace

TEST_SUITE_BEGIN("kernels/winograd");

TEST_CASE("pictures and gradients reach the points as the matrices say") {
  for (const NhwcShape& s : shapes()) {
    CAPTURE(s.channels);
    const std::vector<float> x = Random(1).normals(s.size());
    const auto src = kernels::to_device(test_device(), x);
    const auto points = zeros(s.winograd_size());
    kernels::winograd_src(test_device(), s, src, points);
    CHECK_CLOSE(kernels::to_host(test_device(), points), reference(s, x, input_matrix(), 6, 1),
                .rtol = 1e-5, .atol = 2e-5);
    kernels::winograd_diff_dst(test_device(), s, src, points);
    CHECK_CLOSE(kernels::to_host(test_device(), points), reference(s, x, powers(4), 4, 0),
                .rtol = 1e-5, .atol = 2e-5);
  }
}

TEST_CASE("outputs come back from the points with bias, sum and ReLU") {
  for (const NhwcShape& s : shapes()) {
    CAPTURE(s.channels);
    const std::vector<float> points = Random(2).normals(s.winograd_size());
    const std::vector<float> bias = Random(3).normals(s.channels);
    const std::vector<float> before = Random(4).normals(s.size());
    std::vector<double> plain(s.size()), finished(s.size());
    for_each_tile(s, [&](std::size_t n, int top, int left, std::size_t c, std::size_t first) {
      Matrix m(6, std::vector<double>(6));
      for (std::size_t p = 0; p < 36; ++p) m[p / 6][p % 6] = points[p * s.plane() + first];
      const Matrix y = both_sides(transposed(powers(4)), m);
      for (std::size_t i = 0; i < 4; ++i)
        for (std::size_t j = 0; j < 4; ++j) {
          const std::size_t row = static_cast<std::size_t>(top) + i;
          const std::size_t column = static_cast<std::size_t>(left) + j;
          if (row >= s.height || column >= s.width) continue;
          const std::size_t at = ((n * s.height + row) * s.width + column) * s.channels + c;
          plain[at] = y[i][j];
          finished[at] = std::max(0.0, y[i][j] + bias[c] + before[at]);
        }
    });
    const auto src = kernels::to_device(test_device(), points);
    const auto shift = kernels::to_device(test_device(), bias);
    const auto dst = kernels::to_device(test_device(), before);
    kernels::winograd_dst(test_device(), s, src, dst, {shift, true, true});
    CHECK_CLOSE(kernels::to_host(test_device(), dst), finished, .rtol = 1e-5, .atol = 2e-5);
    kernels::winograd_dst(test_device(), s, src, dst);
    CHECK_CLOSE(kernels::to_host(test_device(), dst), plain, .rtol = 1e-5, .atol = 2e-5);
  }
}

TEST_CASE("a point that is not a number makes its pixels so, also under ReLU") {
  const NhwcShape s = shapes().front();
  std::vector<float> points = Random(2).normals(s.winograd_size());
  points[0] = std::numeric_limits<float>::quiet_NaN();
  const auto src = kernels::to_device(test_device(), points);
  const auto dst = zeros(s.size());
  kernels::winograd_dst(test_device(), s, src, dst, {{}, false, true});
  CHECK(std::isnan(kernels::to_host(test_device(), dst).front()));
}

TEST_CASE("filters go to the points, turned or not, and gradients of filters come back") {
  for (const std::size_t pairs : awkward_sizes()) {
    CAPTURE(pairs);
    const std::vector<float> w = Random(5).normals(9 * pairs);
    const std::vector<float> u = Random(6).normals(36 * pairs);
    std::vector<double> straight(36 * pairs), turned(36 * pairs), diff(9 * pairs);
    for (std::size_t pair = 0; pair < pairs; ++pair) {
      Matrix g(3, std::vector<double>(3)), flipped = g, d(6, std::vector<double>(6));
      for (std::size_t k = 0; k < 9; ++k)
        g[k / 3][k % 3] = flipped[2 - k / 3][2 - k % 3] = w[k * pairs + pair];
      for (std::size_t p = 0; p < 36; ++p) d[p / 6][p % 6] = u[p * pairs + pair];
      const Matrix a = both_sides(filter_matrix(), g), b = both_sides(filter_matrix(), flipped);
      const Matrix back = both_sides(transposed(filter_matrix()), d);
      for (std::size_t p = 0; p < 36; ++p) {
        straight[p * pairs + pair] = a[p / 6][p % 6];
        turned[p * pairs + pair] = b[p / 6][p % 6];
      }
      for (std::size_t k = 0; k < 9; ++k) diff[k * pairs + pair] = back[k / 3][k % 3];
    }
    const auto weights = kernels::to_device(test_device(), w);
    const auto points = zeros(36 * pairs);
    kernels::winograd_weights(test_device(), weights, points, false);
    CHECK_CLOSE(kernels::to_host(test_device(), points), straight, .rtol = 1e-5, .atol = 1e-5);
    kernels::winograd_weights(test_device(), weights, points, true);
    CHECK_CLOSE(kernels::to_host(test_device(), points), turned, .rtol = 1e-5, .atol = 1e-5);
    const auto diff_points = kernels::to_device(test_device(), u);
    kernels::winograd_diff_weights(test_device(), diff_points, weights);
    CHECK_CLOSE(kernels::to_host(test_device(), weights), diff, .rtol = 1e-5, .atol = 1e-5);
  }
}

TEST_CASE("rejects memory of another size than the pictures say") {
  const NhwcShape shape{1, 4, 4, 16};
  const auto points = zeros(shape.winograd_size());
  const auto src = zeros(shape.size() - 1);
  CHECK_THROWS_WITH_AS(kernels::winograd_src(test_device(), shape, src, points),
                       "[winograd_src] expected 256 floats in pictures, got 255", ShapeError);
  CHECK_THROWS_AS(kernels::winograd_diff_weights(test_device(), points, src), ShapeError);
}

TEST_SUITE_END();

}  // namespace opencd::test
