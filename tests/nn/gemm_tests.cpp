#include "nn/gemm.hpp"

#include "support/compare.hpp"
#include "support/matrices.hpp"
#include "support/skip.hpp"

#include <limits>
#include <tuple>

namespace opencd::test {

namespace {

using kernels::Buffer;
using nn::GemmBackend;
using nn::GemmOptions;

struct Sizes {
  std::size_t m, n, k;
};

std::vector<Sizes> awkward_products() {
  return {{1, 1, 1},    {1, 7, 3},     {5, 1, 17},    {17, 33, 65},
          {64, 64, 64}, {129, 50, 32}, {512, 500, 31}};
}

/// alpha op(a) op(b) + beta c in double.
std::vector<double> product(const Sizes& s,
                            const std::vector<float>& a,
                            const std::vector<float>& b,
                            const std::vector<float>& c,
                            const GemmOptions& options) {
  std::vector<double> result(s.m * s.n);
  for (std::size_t i = 0; i < s.m; ++i) {
    for (std::size_t j = 0; j < s.n; ++j) {
      double sum = 0.0;
      for (std::size_t l = 0; l < s.k; ++l)
        sum += static_cast<double>(options.transpose_left ? a[l * s.m + i] : a[i * s.k + l]) *
               (options.transpose_right ? b[j * s.k + l] : b[l * s.n + j]);
      result[i * s.n + j] =
          options.alpha * sum + (options.beta == 0.0f ? 0.0 : options.beta * c[i * s.n + j]);
    }
  }
  return result;
}

std::vector<float> run(const Sizes& s,
                       const std::vector<float>& a,
                       const std::vector<float>& b,
                       const std::vector<float>& c,
                       const GemmOptions& options) {
  const nn::Engine engine(test_device());
  const auto dev_a = kernels::to_device(test_device(), a);
  const auto dev_b = kernels::to_device(test_device(), b);
  const auto dev_c = kernels::to_device(test_device(), c);
  nn::gemm(engine, options.transpose_left ? dev_a.rows(s.k, s.m) : dev_a.rows(s.m, s.k),
           options.transpose_right ? dev_b.rows(s.n, s.k) : dev_b.rows(s.k, s.n),
           dev_c.rows(s.m, s.n), options);
  return kernels::to_host(test_device(), dev_c);
}

std::vector<GemmBackend> backends() {
  if (test_device().has_onemkl()) return {GemmBackend::onemkl, GemmBackend::onednn};
  return {GemmBackend::onednn};
}

}  // namespace

TEST_SUITE_BEGIN("nn/gemm");

TEST_CASE("both backends match the double reference for all transposes, alpha and beta") {
  for (const Sizes& s : awkward_products()) {
    Random random(71);
    const auto a = random.normals(s.m * s.k);
    const auto b = random.normals(s.k * s.n);
    const auto c = random.normals(s.m * s.n);
    for (const bool left : {false, true}) {
      for (const bool right : {false, true}) {
        for (const auto& [alpha, beta] : {std::pair{1.0f, 0.0f}, {0.5f, 1.0f}, {-2.0f, 0.25f}}) {
          for (const GemmBackend backend : backends()) {
            CAPTURE(s.m);
            CAPTURE(s.n);
            CAPTURE(s.k);
            CAPTURE(left);
            CAPTURE(right);
            const GemmOptions options{left, right, alpha, beta, backend};
            CHECK_CLOSE(run(s, a, b, c, options), product(s, a, b, c, options), .rtol = 1e-5,
                        .atol = 2e-5);
          }
        }
      }
    }
  }
}

TEST_CASE("the backends agree with each other") {
  if (!test_device().has_onemkl()) SKIP_CASE("oneMKL does not serve this device");
  const Sizes s{200, 300, 400};
  Random random(72);
  const auto a = random.normals(s.m * s.k);
  const auto b = random.normals(s.k * s.n);
  const auto c = random.normals(s.m * s.n);
  CHECK_CLOSE(run(s, a, b, c, {.backend = GemmBackend::onemkl}),
              run(s, a, b, c, {.backend = GemmBackend::onednn}), .rtol = 1e-4, .atol = 1e-4);
}

TEST_CASE("a product with the identity changes nothing") {
  const Sizes s{37, 41, 41};
  Random random(73);
  const auto a = random.normals(s.m * s.k);
  std::vector<float> identity(s.k * s.n, 0.0f);
  for (std::size_t i = 0; i < s.n; ++i) identity[i * s.n + i] = 1.0f;
  for (const GemmBackend backend : backends())
    CHECK(run(s, a, identity, std::vector<float>(s.m * s.n), {.backend = backend}) == a);
}

TEST_CASE("beta of zero forgets even NaN") {
  const std::vector<float> nan(4, std::numeric_limits<float>::quiet_NaN());
  const std::vector<float> ones(4, 1.0f);
  for (const GemmBackend backend : backends())
    CHECK(run({2, 2, 2}, ones, ones, nan, {.backend = backend}) == std::vector<float>(4, 2.0f));
}

TEST_CASE("an inner size of zero scales what was there") {
  CHECK(run({1, 2, 0}, {}, {}, {3.0f, 4.0f}, {.beta = 0.5f}) == std::vector<float>{1.5f, 2.0f});
  CHECK(run({1, 2, 0}, {}, {}, {3.0f, 4.0f}, {}) == std::vector<float>{0.0f, 0.0f});
}

TEST_CASE("sizes that do not fit are named") {
  const nn::Engine engine(test_device());
  Buffer<float> x(test_device(), 12);
  CHECK_THROWS_WITH_AS(nn::gemm(engine, x.rows(3, 4), x.rows(3, 4), x.rows(3, 4)),
                       "[gemm] expected 4 rows of op(right), the columns of op(left), got 3",
                       ShapeError);
}

TEST_SUITE_END();

}  // namespace opencd::test
