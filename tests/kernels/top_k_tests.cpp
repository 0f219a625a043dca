#include "kernels/top_k.hpp"

#include "support/compare.hpp"
#include "support/matrices.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

namespace opencd::test {

namespace {

using kernels::Buffer;
using kernels::RowReader;

constexpr std::array kReaders = {RowReader::item, RowReader::group};

/// Columns by value, largest first, equal values by column.
std::vector<std::int32_t> top_k_reference(const std::vector<float>& x,
                                          MatrixShape shape,
                                          std::size_t k) {
  std::vector<std::int32_t> result;
  std::vector<std::int32_t> order(shape.columns);
  for (std::size_t r = 0; r < shape.rows; ++r) {
    const float* row = x.data() + r * shape.columns;
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [row](std::int32_t a, std::int32_t b) { return row[a] > row[b]; });
    result.insert(result.end(), order.begin(), order.begin() + static_cast<std::ptrdiff_t>(k));
  }
  return result;
}

std::vector<std::int32_t> run_top_k(const std::vector<float>& x,
                                    MatrixShape shape,
                                    std::size_t k,
                                    RowReader reader = RowReader::automatic) {
  const auto src = kernels::to_device(test_device(), x);
  Buffer<std::int32_t> indices(test_device(), shape.rows * k);
  kernels::top_k_rows(test_device(), rows_of(src, shape), indices.rows(shape.rows, k), {}, reader);
  return kernels::to_host(test_device(), indices);
}

}  // namespace

TEST_SUITE_BEGIN("kernels/top_k");

TEST_CASE("top-k matches a stable sort at awkward sizes and every k") {
  for (const MatrixShape shape : awkward_shapes()) {
    for (const std::size_t k : {1, 2, 3, 5, 7, 10, 16}) {
      if (k > shape.columns) continue;
      CAPTURE(shape);
      CAPTURE(k);
      Random random(21);
      const std::vector<float> x = random.normals(shape.size());
      const std::vector<std::int32_t> expected = top_k_reference(x, shape, k);
      for (const RowReader reader : kReaders) CHECK(run_top_k(x, shape, k, reader) == expected);
    }
  }
}

TEST_CASE("top-k of columns is top-k of the rows of the transpose") {
  for (const MatrixShape shape : awkward_shapes()) {
    for (const std::size_t k : {1, 3, 7, 10, 16}) {
      if (k > shape.columns) continue;
      CAPTURE(shape);
      CAPTURE(k);
      Random random(24);
      std::vector<float> x = random.normals(shape.size());
      for (std::size_t i = 0; i < x.size(); i += 3) x[i] = static_cast<float>(random.below(2));
      std::vector<float> transposed(x.size());
      for (std::size_t r = 0; r < shape.rows; ++r)
        for (std::size_t c = 0; c < shape.columns; ++c)
          transposed[c * shape.rows + r] = x[r * shape.columns + c];
      const auto src = kernels::to_device(test_device(), transposed);
      Buffer<std::int32_t> indices(test_device(), shape.rows * k);
      kernels::top_k_columns(test_device(), src.rows(shape.columns, shape.rows),
                             indices.rows(shape.rows, k));
      CHECK(kernels::to_host(test_device(), indices) == top_k_reference(x, shape, k));
    }
  }
}

TEST_CASE("equal values are ordered by column") {
  for (const MatrixShape shape : {MatrixShape{9, 40}, MatrixShape{3, 513}}) {
    Random random(22);
    std::vector<float> x(shape.size());
    for (float& value : x) value = static_cast<float>(random.below(3));  // many ties
    const std::vector<std::int32_t> expected = top_k_reference(x, shape, 16);
    for (const RowReader reader : kReaders) CHECK(run_top_k(x, shape, 16, reader) == expected);
  }
}

TEST_CASE("values come with their columns") {
  const MatrixShape shape{20, 77};
  Random random(23);
  const std::vector<float> x = random.normals(shape.size());
  const auto src = kernels::to_device(test_device(), x);
  Buffer<std::int32_t> indices(test_device(), shape.rows * 4);
  Buffer<float> values(test_device(), shape.rows * 4);
  kernels::top_k_rows(test_device(), rows_of(src, shape), indices.rows(20, 4), values.rows(20, 4));
  const auto columns = kernels::to_host(test_device(), indices);
  const auto got = kernels::to_host(test_device(), values);
  for (std::size_t i = 0; i < got.size(); ++i)
    CHECK_EQ(got[i], x[i / 4 * shape.columns + static_cast<std::size_t>(columns[i])]);
}

TEST_CASE("arg-max is the first of top-k and survives rows of -infinity and NaN") {
  constexpr float inf = std::numeric_limits<float>::infinity();
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  const auto src = kernels::to_device(
      test_device(), std::vector<float>{-inf, -inf, -inf, nan, nan, nan, nan, 2, 1, 7, inf, inf});
  const std::vector<std::int32_t> expected = {0, 0, 1, 1};
  Buffer<std::int32_t> indices(test_device(), 4);
  kernels::argmax_rows(test_device(), src.rows(4, 3), indices);
  CHECK(kernels::to_host(test_device(), indices) == expected);
  for (const RowReader reader : kReaders) {
    kernels::top_k_rows(test_device(), src.rows(4, 3), indices.rows(4, 1), {}, reader);
    CHECK(kernels::to_host(test_device(), indices) == expected);
  }
}

TEST_CASE("a constant added to a row moves no column") {
  const MatrixShape shape{31, 50};
  Random random(24);
  std::vector<float> x(shape.size());
  for (float& value : x) value = static_cast<float>(random.below(1000));
  const auto before = run_top_k(x, shape, 7);
  for (float& value : x) value += 4096.0f;  // exact in f32
  CHECK(run_top_k(x, shape, 7) == before);
}

TEST_CASE("rejects k beyond sixteen and beyond the columns") {
  Buffer<float> x(test_device(), 100);
  Buffer<std::int32_t> indices(test_device(), 150);
  CHECK_THROWS_AS(kernels::top_k_rows(test_device(), x.rows(5, 20), {indices.data(), 5, 17}),
                  ShapeError);
  CHECK_THROWS_AS(kernels::top_k_rows(test_device(), x.rows(50, 2), {indices.data(), 50, 3}),
                  ShapeError);
}

TEST_SUITE_END();

}  // namespace opencd::test
