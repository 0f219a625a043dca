#include "opencd/principal_axes.hpp"

#include "error.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <numeric>

namespace opencd::test {

TEST_SUITE_BEGIN("opencd/principal_axes");

TEST_CASE("the axes of a diagonal matrix are its coordinates, by size") {
  const std::vector<double> matrix = {1, 0, 0, 0, 5, 0, 0, 0, 3};
  CHECK_EQ(principal_axes(matrix, 3, 2), std::vector<float>{0, 1, 0, 0, 0, 1});
}

TEST_CASE("axes are unit eigenvectors at right angles whose largest entry is positive") {
  const std::vector<double> matrix = {4, 1, -2, 1, 3, 0.5, -2, 0.5, 6};
  const std::vector<float> axes = principal_axes(matrix, 3, 3);
  double before = 1e9;
  for (std::size_t a = 0; a < 3; ++a) {
    const float* axis = axes.data() + 3 * a;
    double value = 0.0;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) value += axis[i] * matrix[3 * i + j] * axis[j];
    CHECK_LT(value, before);
    before = value;
    for (std::size_t i = 0; i < 3; ++i) {
      double product = 0.0;
      for (std::size_t j = 0; j < 3; ++j) product += matrix[3 * i + j] * axis[j];
      CHECK(product == doctest::Approx(value * axis[i]).epsilon(1e-5));
    }
    for (std::size_t b = 0; b <= a; ++b)
      CHECK(std::inner_product(axis, axis + 3, axes.data() + 3 * b, 0.0) ==
            doctest::Approx(a == b ? 1.0 : 0.0).epsilon(1e-5));
  }
}

TEST_CASE("more axes than dimensions are refused") {
  CHECK_THROWS_AS(principal_axes(std::vector<double>{1.0}, 1, 2), ShapeError);
}

TEST_SUITE_END();

}  // namespace opencd::test
