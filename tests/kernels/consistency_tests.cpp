#include "kernels/consistency.hpp"

#include "bench/method_loss_reference.hpp"
#include "error.hpp"
#include "support/compare.hpp"
#include "support/matrices.hpp"

namespace opencd::test {

TEST_SUITE_BEGIN("kernels/consistency");

TEST_CASE("loss and gradients are those of the formula at awkward sizes, added to what is there") {
  kernels::Device& device = test_device();
  for (const MatrixShape shape :
       {MatrixShape{1, 1}, {1, 7}, {5, 15}, {17, 16}, {33, 100}, {130, 257}}) {
    CAPTURE(shape);
    const auto a = bench::random_values(shape.size(), 5);
    const auto b = bench::random_values(shape.size(), 6);
    const auto expected = bench::reference_squared_difference(a, b);
    const auto dev_a = to_device(device, a);
    const auto dev_b = to_device(device, b);
    const auto diff_a = to_device(device, std::vector<float>(a.size(), 1.0f));
    const auto diff_b = to_device(device, std::vector<float>(a.size(), 1.0f));
    const kernels::Buffer<float> loss(device, 1);
    kernels::Scratch scratch(device, kernels::mean_squared_difference_scratch_bytes(shape.rows));
    kernels::mean_squared_difference(device, scratch, rows_of(dev_a, shape), rows_of(dev_b, shape),
                                     rows_of(diff_a, shape), rows_of(diff_b, shape), loss, 3.0f);
    CHECK(to_host(device, loss).front() == doctest::Approx(expected.loss).epsilon(1e-5));
    std::vector<double> wanted_a;
    std::vector<double> wanted_b;
    for (const double slope : expected.diff) {
      wanted_a.push_back(1.0 + 3.0 * slope);
      wanted_b.push_back(1.0 - 3.0 * slope);
    }
    CHECK_CLOSE(to_host(device, diff_a), wanted_a, .rtol = 1e-6, .atol = 1e-6);
    CHECK_CLOSE(to_host(device, diff_b), wanted_b, .rtol = 1e-6, .atol = 1e-6);
  }
}

TEST_CASE("matrices of different shapes and empty ones are refused") {
  kernels::Device& device = test_device();
  const kernels::Buffer<float> x(device, 12);
  kernels::Scratch scratch(device, 1024);
  const auto refuse = [&](kernels::Rows<float> a, kernels::Rows<float> b) {
    CHECK_THROWS_AS(
        kernels::mean_squared_difference(device, scratch, a, b, a, a, x.view().slice(0, 1)),
        ShapeError);
  };
  refuse(x.rows(4, 3), x.rows(3, 4));
  refuse({x.data(), 0, 3}, {x.data(), 0, 3});
}

TEST_SUITE_END();

}  // namespace opencd::test
