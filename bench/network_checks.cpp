#include "bench/network_checks.hpp"

#include "bench/reference.hpp"
#include "kernels/elementwise.hpp"
#include "kernels/memory.hpp"
#include "nn/model_weights.hpp"
#include "nn/optimizer.hpp"
#include "nn/resnet.hpp"

#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <memory>
#include <numeric>

namespace opencd::bench {

namespace {

using kernels::Buffer;
using kernels::Device;

const nn::Shape kImages{8, 3, 16, 16};

/// ResNet-18 of width 8 whose loss is a fixed weighted sum of its features.
struct Network {
  nn::Model model;
  nn::ResNet encoder;
  nn::Saved saved;
  Buffer<float> images, features, slopes;

  explicit Network(const nn::Engine& engine)
      : model(engine), encoder(model, config(), kImages), saved(encoder.make_saved()) {
    model.allocate();
    initialise(model.parameters(), 1);
    const std::size_t count = rows() * columns();
    images = to_device(device(), random_values(rows() * 3 * 16 * 16, 6));
    features = Buffer<float>(device(), count);
    slopes = to_device(device(), random_values(count, 7));
  }

  static nn::ResNetConfig config() {
    nn::ResNetConfig config = nn::resnet_config("resnet18");
    config.width = 8;
    return config;
  }
  Device& device() const { return model.device(); }
  std::size_t rows() const { return static_cast<std::size_t>(kImages.n); }
  std::size_t columns() const { return static_cast<std::size_t>(encoder.config().output_count()); }
  kernels::View<float> weights() { return model.parameters().values(nn::Role::trained); }

  double loss() {
    encoder.forward(images, features.rows(rows(), columns()), saved);
    const auto got = to_host(device(), features);
    const auto slope = to_host(device(), slopes);
    return std::inner_product(got.begin(), got.end(), slope.begin(), 0.0);
  }
  /// The gradient of the loss, left in the parameters.
  void gradient() {
    model.parameters().clear_grads();
    encoder.backward(images, slopes.rows(rows(), columns()), saved);
  }
};

/// Along its own gradient the loss must rise by the gradient's squared length.
std::string check_gradient(const nn::Engine& engine) {
  Network network(engine);
  network.loss();
  network.gradient();
  const auto gradient = to_host(network.device(), network.model.parameters().grads());
  const double squares =
      std::inner_product(gradient.begin(), gradient.end(), gradient.begin(), 0.0);
  const auto step = static_cast<float>(1e-3 / std::sqrt(squares));
  const auto move = [&](float factor) {
    kernels::axpy(network.device(), factor, network.model.parameters().grads(), network.weights());
    network.model.parameters().touch();
  };
  move(step);
  const double above = network.loss();
  move(-2.0f * step);
  const double below = network.loss();
  const double slope = (above - below) / (2.0 * step);
  if (std::abs(slope - squares) <= 0.05 * squares) return "";
  return fmt::format("the loss rises by {} along a gradient of squared length {}", slope, squares);
}

std::string check_training_step(const nn::Engine& engine) {
  Network network(engine);
  const double before = network.loss();
  network.gradient();
  nn::Optimizer optimizer(network.model, {});
  optimizer.step(1e-4);
  const kernels::NormRecord record = optimizer.record();
  const double after = network.loss();
  if (record.bad != 0) return fmt::format("{} entries of the gradient are not finite", record.bad);
  if (after < before) return "";
  return fmt::format("a step of Adam took the loss from {} to {}", before, after);
}

/// Two inferences of the same pictures, one of them in a batch of another size.
std::string check_inference(const nn::Engine& engine) {
  Network network(engine);
  for (int pass = 0; pass < 20; ++pass) network.loss();  // move the running statistics
  const auto infer = [&](std::int64_t count) {
    const nn::Shape shape{count, 3, 16, 16};
    const auto rows = static_cast<std::size_t>(count);
    network.encoder.infer(shape, network.images.view().slice(0, rows * 3 * 16 * 16),
                          {network.features.data(), rows, network.columns()});
    return to_host(network.device(), network.features.view().slice(0, rows * network.columns()));
  };
  const auto all = infer(8);
  const auto some = infer(3);
  return compare(some, [&](std::size_t i) { return all[i]; }, 1e-4);
}

std::string check_weight_file(const nn::Engine& engine) {
  const auto file = std::filesystem::temp_directory_path() /
                    fmt::format("opencd-doctor-{}.safetensors", getpid());
  Network network(engine);
  const auto before = to_host(network.device(), network.weights());
  nn::save_model(file, network.model.parameters());
  kernels::fill(network.device(), network.weights(), 0.0f);
  nn::load_model(file, network.model.parameters());
  std::filesystem::remove(file);
  const auto after = to_host(network.device(), network.weights());
  if (std::memcmp(before.data(), after.data(), before.size() * sizeof(float)) == 0) return "";
  return "weights came back from their file with other bits";
}

}  // namespace

std::vector<Check> network_checks(const nn::Engine& engine) {
  return {{"gradient", [&engine] { return check_gradient(engine); }},
          {"training step", [&engine] { return check_training_step(engine); }},
          {"inference", [&engine] { return check_inference(engine); }},
          {"weight file", [&engine] { return check_weight_file(engine); }}};
}

}  // namespace opencd::bench
