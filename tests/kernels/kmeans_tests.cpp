#include "kernels/kmeans.hpp"

#include "support/compare.hpp"
#include "support/matrices.hpp"

#include <algorithm>
#include <cmath>

namespace opencd::test {

namespace {

using kernels::Buffer;

/// Points as extend_rows makes them, beside what they should be.
struct Points {
  std::vector<float> rows;
  std::vector<float> origin;
  Buffer<float> points;
  Buffer<float> squares;

  Points(MatrixShape shape, Random& random)
      : rows(random.normals(shape.size())),
        origin(random.normals(shape.columns)),
        points(test_device(), shape.rows * (shape.columns + 1)),
        squares(test_device(), shape.rows) {
    const auto src = kernels::to_device(test_device(), rows);
    const auto mean = kernels::to_device(test_device(), origin);
    kernels::extend_rows(test_device(), rows_of(src, shape), mean, extended(shape), squares);
    test_device().wait();
  }

  kernels::Rows<float> extended(MatrixShape shape) const {
    return points.rows(shape.rows, shape.columns + 1);
  }
  double at(MatrixShape shape, std::size_t row, std::size_t column) const {
    return static_cast<double>(rows[row * shape.columns + column]) - origin[column];
  }
  double square(MatrixShape shape, std::size_t row) const {
    double sum = 0.0;
    for (std::size_t c = 0; c < shape.columns; ++c) sum += at(shape, row, c) * at(shape, row, c);
    return sum;
  }
};

}  // namespace

TEST_SUITE_BEGIN("kernels/kmeans");

TEST_CASE("rows about an origin get a 1, their squares, and as centres -|c|^2 / 2") {
  for (const MatrixShape shape : awkward_shapes()) {
    CAPTURE(shape);
    Random random(81);
    const Points points(shape, random);
    const std::vector<std::int32_t> chosen = {static_cast<std::int32_t>(shape.rows) - 1, 0};
    const auto rows = kernels::to_device(test_device(), chosen);
    Buffer<float> centres(test_device(), 2 * (shape.columns + 1));
    kernels::rows_as_centres(test_device(), points.extended(shape), points.squares, rows,
                             centres.rows(2, shape.columns + 1));
    std::vector<double> expected;
    std::vector<double> expected_squares;
    for (std::size_t row = 0; row < shape.rows; ++row) {
      for (std::size_t c = 0; c < shape.columns; ++c) expected.push_back(points.at(shape, row, c));
      expected.push_back(1.0);
      expected_squares.push_back(points.square(shape, row));
    }
    std::vector<double> expected_centres;
    for (const std::int32_t row : chosen) {
      for (std::size_t c = 0; c < shape.columns; ++c)
        expected_centres.push_back(points.at(shape, static_cast<std::size_t>(row), c));
      expected_centres.push_back(-0.5 * expected_squares[static_cast<std::size_t>(row)]);
    }
    CHECK_CLOSE(kernels::to_host(test_device(), points.points), expected, .rtol = 1e-6);
    CHECK_CLOSE(kernels::to_host(test_device(), points.squares), expected_squares, .rtol = 1e-5);
    CHECK_CLOSE(kernels::to_host(test_device(), centres), expected_centres, .rtol = 1e-5);
  }
}

TEST_CASE("candidates are measured against the centres of their own start") {
  constexpr std::size_t rows = 1003, starts = 3, trials = 4;
  Random random(82);
  std::vector<float> squares = random.normals(rows);
  std::vector<float> nearest = random.normals(rows * starts);
  for (float& value : squares) value = std::abs(value);
  for (float& value : nearest) value = std::abs(value);
  const std::vector<float> products = random.normals(rows * starts * trials);
  const std::vector<std::int32_t> chosen = {2, 4, 11};

  const auto dev_squares = kernels::to_device(test_device(), squares);
  const auto dev_nearest = kernels::to_device(test_device(), nearest);
  const auto dev_products = kernels::to_device(test_device(), products);
  const auto dev_chosen = kernels::to_device(test_device(), chosen);
  kernels::candidate_distances(test_device(), dev_squares, dev_nearest.rows(rows, starts),
                               dev_products.rows(rows, starts * trials));
  kernels::keep_candidates(test_device(), dev_products.rows(rows, starts * trials), dev_chosen,
                           dev_nearest.rows(rows, starts));

  std::vector<double> expected(products.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const std::size_t row = i / (starts * trials);
    const double before = nearest[row * starts + i % (starts * trials) / trials];
    expected[i] = std::min(before, std::max(0.0, squares[row] - 2.0 * products[i]));
  }
  std::vector<double> expected_nearest;
  for (std::size_t row = 0; row < rows; ++row)
    for (const std::int32_t candidate : chosen)
      expected_nearest.push_back(
          expected[row * starts * trials + static_cast<std::size_t>(candidate)]);
  CHECK_CLOSE(kernels::to_host(test_device(), dev_products), expected, .rtol = 1e-5);
  CHECK_CLOSE(kernels::to_host(test_device(), dev_nearest), expected_nearest, .rtol = 1e-5);
}

TEST_CASE("centres become means of slices, empty clusters stay, and ways and distances follow") {
  for (const MatrixShape shape :
       {MatrixShape{1, 1}, MatrixShape{9, 17}, MatrixShape{64, 16}, MatrixShape{700, 33}}) {
    CAPTURE(shape);
    Random random(83);
    const Points points(shape, random);
    // cluster 0 has the even rows in two slices, 1 is empty, 2 has the odd rows
    std::vector<std::int32_t> order;
    std::vector<std::int32_t> cluster_of(shape.rows);
    for (std::size_t row = 0; row < shape.rows; ++row) cluster_of[row] = row % 2 == 0 ? 0 : 2;
    for (const std::size_t odd : {0, 1})
      for (std::size_t row = odd; row < shape.rows; row += 2)
        order.push_back(static_cast<std::int32_t>(row));
    const auto even = static_cast<std::int32_t>((shape.rows + 1) / 2);
    const std::vector<std::int32_t> slices = {0, even / 2, even,
                                              static_cast<std::int32_t>(shape.rows)};
    const std::vector<std::int32_t> first_slice = {0, 2, 2, 3};
    const std::vector<float> before = random.normals(3 * (shape.columns + 1));

    const auto dev_order = kernels::to_device(test_device(), order);
    const auto dev_slices = kernels::to_device(test_device(), slices);
    const auto dev_first = kernels::to_device(test_device(), first_slice);
    const auto dev_clusters = kernels::to_device(test_device(), cluster_of);
    const auto centres = kernels::to_device(test_device(), before);
    Buffer<float> partial(test_device(), 3 * shape.columns);
    Buffer<float> moved(test_device(), 3);
    Buffer<float> distances(test_device(), shape.rows);
    kernels::move_centres(test_device(), points.extended(shape), {dev_order, dev_slices, dev_first},
                          partial.rows(3, shape.columns), centres.rows(3, shape.columns + 1),
                          moved);
    kernels::cluster_distances(test_device(), points.extended(shape),
                               centres.rows(3, shape.columns + 1), dev_clusters, distances);

    std::vector<double> expected(before.begin(), before.end());
    std::vector<double> ways(3, 0.0);
    for (std::size_t cluster = 0; cluster < 3; ++cluster) {
      const auto size = std::count(cluster_of.begin(), cluster_of.end(), cluster);
      if (size == 0) continue;
      double squares = 0.0;
      for (std::size_t c = 0; c < shape.columns; ++c) {
        double mean = 0.0;
        for (std::size_t row = 0; row < shape.rows; ++row)
          if (cluster_of[row] == static_cast<std::int32_t>(cluster))
            mean += points.at(shape, row, c) / static_cast<double>(size);
        double& centre = expected[cluster * (shape.columns + 1) + c];
        ways[cluster] += (mean - centre) * (mean - centre);
        squares += mean * mean;
        centre = mean;
      }
      expected[cluster * (shape.columns + 1) + shape.columns] = -0.5 * squares;
    }
    std::vector<double> expected_distances;
    for (std::size_t row = 0; row < shape.rows; ++row) {
      const double* centre =
          &expected[static_cast<std::size_t>(cluster_of[row]) * (shape.columns + 1)];
      double sum = 0.0;
      for (std::size_t c = 0; c < shape.columns; ++c)
        sum += std::pow(points.at(shape, row, c) - centre[c], 2.0);
      expected_distances.push_back(sum);
    }
    CHECK_CLOSE(kernels::to_host(test_device(), centres), expected, .rtol = 1e-4, .atol = 1e-5);
    CHECK_CLOSE(kernels::to_host(test_device(), moved), ways, .rtol = 1e-4, .atol = 1e-5);
    CHECK_CLOSE(kernels::to_host(test_device(), distances), expected_distances, .rtol = 1e-4,
                .atol = 1e-5);
  }
}

TEST_CASE("rejects points that are not one column longer and candidates that starts cannot share") {
  Buffer<float> x(test_device(), 24);
  CHECK_THROWS_AS(kernels::extend_rows(test_device(), x.rows(6, 4), x.view().slice(0, 4),
                                       x.rows(6, 4), x.view().slice(0, 6)),
                  ShapeError);
  CHECK_THROWS_AS(kernels::candidate_distances(test_device(), x.view().slice(0, 6),
                                               {x.data(), 6, 3}, x.rows(6, 4)),
                  ShapeError);
}

TEST_SUITE_END();

}  // namespace opencd::test
