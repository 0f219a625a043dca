#include "bench/op_cases.hpp"
#include "bench/reference.hpp"
#include "nn/gemm.hpp"

#include <memory>

namespace opencd::bench {

Case gemm_case(const nn::Engine& engine, std::size_t n, bool onemkl) {
  struct Operands {
    std::vector<float> a, b;
    kernels::Buffer<float> dev_a, dev_b, dev_c;
  };
  kernels::Device& device = engine.device();
  auto o = std::make_shared<Operands>();
  o->a = random_values(n * n, 4);
  o->b = random_values(n * n, 5);
  o->dev_a = to_device(device, o->a);
  o->dev_b = to_device(device, o->b);
  o->dev_c = kernels::Buffer<float>(device, n * n);

  Case result;
  result.name = onemkl ? "gemm_onemkl" : "gemm_onednn";
  result.params = {{"m", n}, {"n", n}, {"k", n}};
  result.work = 2.0 * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n);
  result.unit = "flop";
  const nn::GemmOptions options{.backend =
                                    onemkl ? nn::GemmBackend::onemkl : nn::GemmBackend::onednn};
  result.run = [&engine, o, n, options] {
    nn::gemm(engine, o->dev_a.rows(n, n), o->dev_b.rows(n, n), o->dev_c.rows(n, n), options);
  };
  // A thousand entries spread over the product: the whole of it would take the host minutes.
  result.check = [&device, o, n, run = result.run]() -> std::string {
    run();
    const std::vector<float> c = to_host(device, o->dev_c);
    const std::size_t step = std::max<std::size_t>(1, n * n / 1000);
    for (std::size_t i = 0; i < n * n; i += step) {
      double sum = 0.0;
      for (std::size_t k = 0; k < n; ++k)
        sum += static_cast<double>(o->a[i / n * n + k]) * o->b[k * n + i % n];
      if (!(std::abs(c[i] - sum) <= 1e-4 * std::sqrt(static_cast<double>(n))))
        return fmt::format("entry {} is {} instead of {}", i, c[i], sum);
    }
    return "";
  };
  return result;
}

}  // namespace opencd::bench
