#include "bench/op_cases.hpp"
#include "bench/reference.hpp"
#include "kernels/elementwise.hpp"
#include "kernels/norm.hpp"

#include <memory>
#include <numbers>

namespace opencd::bench {

namespace {

using kernels::Buffer;
using kernels::Device;

/// Two inputs and an output on the device, shared by all cases.
struct Vectors {
  std::vector<float> x, y;
  Buffer<float> dev_x, dev_y, dev_z;

  Vectors(Device& device, std::size_t count)
      : x(random_values(count, 1)),
        y(random_values(count, 2)),
        dev_x(to_device(device, x)),
        dev_y(to_device(device, y)),
        dev_z(device, count) {}
};

using SharedVectors = std::shared_ptr<Vectors>;

double normal_share(double x) { return 0.5 * (1.0 + std::erf(x / std::sqrt(2.0))); }
double gelu_slope(double x) {
  return normal_share(x) + x * std::exp(-0.5 * x * x) / std::sqrt(2.0 * std::numbers::pi);
}
double relu_of(double value) { return value > 0.0 ? value : 0.0; }

/// A case that writes z; `passes` vectors of f32 go through memory in one run.
Case elementwise_case(Device& device,
                      const SharedVectors& v,
                      const std::string& name,
                      int passes,
                      const std::function<void()>& run,
                      const std::function<double(std::size_t)>& expected) {
  const std::size_t count = v->x.size();
  Case result;
  result.name = name;
  result.params = {{"elements", count}};
  result.work = 4.0 * passes * static_cast<double>(count);
  result.unit = "B";
  result.run = run;
  result.check = [&device, v, run, expected] {
    kernels::copy(device, v->dev_y, v->dev_z);  // what in-place kernels start from
    run();
    return compare(to_host(device, v->dev_z), expected);
  };
  return result;
}

Case norm_case(Device& device, const SharedVectors& v) {
  const std::size_t count = v->x.size();
  auto scratch = std::make_shared<kernels::Scratch>(device, kernels::norm_scratch_bytes(count));
  auto record = std::make_shared<Buffer<kernels::NormRecord>>(device, 1);
  Case result;
  result.name = "squared_norm";
  result.params = {{"elements", count}};
  result.work = 4.0 * static_cast<double>(count);
  result.unit = "B";
  result.run = [&device, v, scratch, record] {
    kernels::squared_norm(device, *scratch, v->dev_x, *record);
  };
  result.check = [&device, v, record, run = result.run]() -> std::string {
    run();
    const kernels::NormRecord got = to_host(device, *record).front();
    double squares = 0.0;
    for (const float value : v->x) squares += static_cast<double>(value) * value;
    if (got.bad != 0) return fmt::format("{} entries called not finite, expected none", got.bad);
    return compare({got.squares}, [&](std::size_t) { return squares; }, 1e-4);
  };
  return result;
}

}  // namespace

std::vector<Case> streaming_cases(Device& device, const OpSizes& sizes) {
  auto v = std::make_shared<Vectors>(device, sizes.elements);
  const auto add = [&](std::vector<Case>& cases, const char* name, int passes, const auto& run,
                       const auto& expected) {
    cases.push_back(elementwise_case(device, v, name, passes, run, expected));
  };
  std::vector<Case> cases;
  add(
      cases, "fill", 1, [&device, v] { kernels::fill(device, v->dev_z, 0.5f); },
      [](std::size_t) { return 0.5; });
  add(
      cases, "copy", 2, [&device, v] { kernels::copy(device, v->dev_x, v->dev_z); },
      [v](std::size_t i) { return v->x[i]; });
  add(
      cases, "scale", 2, [&device, v] { kernels::scale(device, v->dev_z, 0.5f); },
      [v](std::size_t i) { return 0.5 * v->y[i]; });
  add(
      cases, "axpy", 3, [&device, v] { kernels::axpy(device, 0.5f, v->dev_x, v->dev_z); },
      [v](std::size_t i) { return v->y[i] + 0.5 * v->x[i]; });
  add(
      cases, "add", 3, [&device, v] { kernels::add(device, v->dev_x, v->dev_y, v->dev_z); },
      [v](std::size_t i) { return static_cast<double>(v->x[i]) + v->y[i]; });
  add(
      cases, "relu", 2, [&device, v] { kernels::relu(device, v->dev_x, v->dev_z); },
      [v](std::size_t i) { return relu_of(v->x[i]); });
  add(
      cases, "add_relu", 3,
      [&device, v] { kernels::add_relu(device, v->dev_x, v->dev_y, v->dev_z); },
      [v](std::size_t i) { return relu_of(static_cast<double>(v->x[i]) + v->y[i]); });
  add(
      cases, "relu_backward", 3,
      [&device, v] { kernels::relu_backward(device, v->dev_x, v->dev_y, v->dev_z); },
      [v](std::size_t i) { return v->x[i] > 0.0f ? v->y[i] : 0.0f; });
  add(
      cases, "leaky_relu", 2,
      [&device, v] { kernels::leaky_relu(device, v->dev_x, v->dev_z, 0.25f); },
      [v](std::size_t i) { return v->x[i] > 0.0f ? v->x[i] : 0.25f * v->x[i]; });
  add(
      cases, "leaky_relu_backward", 3,
      [&device, v] { kernels::leaky_relu_backward(device, v->dev_x, v->dev_y, v->dev_z, 0.25f); },
      [v](std::size_t i) { return v->x[i] > 0.0f ? v->y[i] : 0.25f * v->y[i]; });
  add(
      cases, "gelu", 2, [&device, v] { kernels::gelu(device, v->dev_x, v->dev_z); },
      [v](std::size_t i) { return v->x[i] * normal_share(v->x[i]); });
  add(
      cases, "gelu_backward", 3,
      [&device, v] { kernels::gelu_backward(device, v->dev_x, v->dev_y, v->dev_z); },
      [v](std::size_t i) { return v->y[i] * gelu_slope(v->x[i]); });
  cases.push_back(norm_case(device, v));
  return cases;
}

}  // namespace opencd::bench
