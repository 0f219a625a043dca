#include "kernels/nearest_rows.hpp"

#include "bench/tsne_reference.hpp"
#include "support/compare.hpp"
#include "support/matrices.hpp"

namespace opencd::test {

namespace {

using kernels::Buffer;

/// Small whole numbers: their distances are exact, and many are equal.
std::vector<float> whole_numbers(MatrixShape shape, Random& random) {
  std::vector<float> values(shape.size());
  for (float& value : values) value = static_cast<float>(random.below(5)) - 2.0f;
  return values;
}

/// The neighbours that the kernels find for `count` rows from `first` on.
std::vector<std::int32_t> find(const std::vector<float>& points,
                               MatrixShape shape,
                               std::size_t k,
                               std::size_t first,
                               std::size_t count) {
  std::vector<float> squares(shape.rows);
  std::vector<float> products(count * shape.rows);
  const auto product = [&](std::size_t i, std::size_t j) {
    const float* x = &points[i * shape.columns];
    return std::inner_product(x, x + shape.columns, &points[j * shape.columns], 0.0f);
  };
  for (std::size_t j = 0; j < shape.rows; ++j) {
    squares[j] = product(j, j);
    for (std::size_t i = 0; i < count; ++i) products[i * shape.rows + j] = product(first + i, j);
  }
  const auto device_squares = kernels::to_device(test_device(), squares);
  const auto device_products = kernels::to_device(test_device(), products);
  const Buffer<float> radii(test_device(), count);
  const Buffer<std::int32_t> on_edge(test_device(), count);
  const Buffer<std::int32_t> nearest(test_device(), count * k);
  kernels::nearest_rows(test_device(), device_squares, first,
                        device_products.rows(count, shape.rows), radii, on_edge,
                        nearest.rows(count, k));
  return kernels::to_host(test_device(), nearest);
}

}  // namespace

TEST_SUITE_BEGIN("kernels/nearest_rows");

TEST_CASE("neighbours are those of a sort by distance, ties by row") {
  Random random(91);
  for (const MatrixShape shape : {MatrixShape{2, 1}, MatrixShape{3, 7}, MatrixShape{16, 3},
                                  MatrixShape{17, 2}, MatrixShape{257, 4}, MatrixShape{1003, 5}})
    for (const std::size_t wanted : {1, 3, 90, 100'000}) {
      const std::size_t k = std::min(wanted, shape.rows - 1);
      CAPTURE(shape);
      CAPTURE(k);
      const std::vector<float> points = whole_numbers(shape, random);
      std::vector<std::int32_t> expected;
      for (std::size_t row = 0; row < shape.rows; ++row)
        for (const std::int32_t j : bench::reference_nearest(points, shape.columns, row, k))
          expected.push_back(j);
      const std::size_t half = shape.rows / 2;
      std::vector<std::int32_t> found = find(points, shape, k, 0, half);
      for (const std::int32_t j : find(points, shape, k, half, shape.rows - half))
        found.push_back(j);
      CHECK_EQ(found, expected);
    }
}

TEST_CASE("of identical rows the first are the neighbours, never the row itself") {
  const std::vector<std::int32_t> found =
      find(std::vector<float>(5 * 3, 0.5f), {.rows = 5, .columns = 3}, 2, 0, 5);
  CHECK_EQ(found, std::vector<std::int32_t>{1, 2, 0, 2, 0, 1, 0, 1, 0, 1});
}

TEST_CASE("distances come from differences, however far from the origin the rows are") {
  for (const MatrixShape shape : {MatrixShape{2, 1}, MatrixShape{9, 17}, MatrixShape{40, 500}}) {
    CAPTURE(shape);
    Random random(92);
    std::vector<float> points = random.normals(shape.size());
    for (float& value : points) value += 1000.0f;
    std::vector<std::int32_t> nearest;
    std::vector<double> expected;
    for (std::size_t row = 0; row < shape.rows; ++row)
      for (const std::size_t j : {(row + 1) % shape.rows, std::size_t{0}}) {
        nearest.push_back(static_cast<std::int32_t>(j));
        expected.push_back(bench::squared_distance(&points[row * shape.columns],
                                                   &points[j * shape.columns], shape.columns));
      }
    const auto device_points = kernels::to_device(test_device(), points);
    const auto device_nearest = kernels::to_device(test_device(), nearest);
    const Buffer<float> distances(test_device(), nearest.size());
    kernels::neighbour_distances(test_device(), rows_of(device_points, shape),
                                 device_nearest.rows(shape.rows, 2), distances.rows(shape.rows, 2));
    CHECK_CLOSE(kernels::to_host(test_device(), distances), expected, .rtol = 1e-5);
  }
}

TEST_CASE("rejects as many neighbours as rows, and rows that are not there") {
  const Buffer<float> squares(test_device(), 4);
  const Buffer<float> products(test_device(), 8);
  const Buffer<float> radii(test_device(), 2);
  const Buffer<std::int32_t> on_edge(test_device(), 2);
  const Buffer<std::int32_t> nearest(test_device(), 8);
  const auto find_from = [&](std::size_t first, std::size_t k) {
    kernels::nearest_rows(test_device(), squares, first, products.rows(2, 4), radii, on_edge,
                          {nearest.data(), 2, k});
  };
  CHECK_THROWS_WITH_AS(find_from(0, 4), "[nearest_rows] expected from 1 to 3 neighbours, got 4",
                       ShapeError);
  CHECK_THROWS_WITH_AS(find_from(3, 1), "[nearest_rows] expected rows within 4, got 3 to 5",
                       ShapeError);
}

TEST_SUITE_END();

}  // namespace opencd::test
