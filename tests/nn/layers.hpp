// Layers under test: one engine, tensors in plain order to and from the layouts that layers chose.
#pragma once

#include "nn/model.hpp"
#include "nn/reorder.hpp"
#include "support/compare.hpp"
#include "support/device.hpp"
#include "support/gradient_check.hpp"
#include "support/main.hpp"
#include "support/random.hpp"

#include <memory>
#include <vector>

namespace opencd::test {

inline const nn::Engine& test_engine() {
  static std::unique_ptr<nn::Engine> engine;
  if (!engine) {
    engine = std::make_unique<nn::Engine>(test_device());
    at_end([] { engine.reset(); });
  }
  return *engine;
}

/// A tensor on the device in the layout `desc`, from plain order.
inline kernels::Buffer<float> to_layout(const std::vector<float>& plain, const nn::Desc& desc) {
  const auto staged = kernels::to_device(test_device(), plain);
  kernels::Buffer<float> buffer(test_device(), nn::floats_of(desc));
  nn::reorder(test_engine(), nn::plain_desc(desc.get_dims()), staged, desc, buffer);
  test_device().wait();
  return buffer;
}

inline std::vector<float> from_layout(const kernels::Buffer<float>& buffer, const nn::Desc& desc) {
  const nn::Desc plain = nn::plain_desc(desc.get_dims());
  kernels::Buffer<float> staged(test_device(), nn::floats_of(plain));
  nn::reorder(test_engine(), desc, buffer, plain, staged);
  return kernels::to_host(test_device(), staged);
}

inline kernels::Buffer<float> make_tensor(const nn::Desc& desc) {
  return {test_device(), nn::floats_of(desc)};
}

inline double inner(const std::vector<float>& a, const std::vector<float>& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(a[i]) * b[i];
  return sum;
}

inline std::size_t size_of(const nn::Shape& shape) {
  return static_cast<std::size_t>(shape.size());
}

/// The newest backward pass's gradient of a parameter, in plain order.
inline std::vector<float> read_diff(nn::Model& model, const nn::Parameter& parameter) {
  model.parameters().clear_grads();
  model.parameters().accumulate(0, model.parameters().size(nn::Role::trained));
  return model.parameters().read_grad(parameter);
}

}  // namespace opencd::test
