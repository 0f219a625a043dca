// Residual networks against PyTorch in double precision (tests/golden/make_resnet.py).
#include "files/safetensors.hpp"
#include "nn/layers.hpp"
#include "nn/model_weights.hpp"
#include "nn/optimizer.hpp"
#include "nn/resnet.hpp"
#include "support/test_data.hpp"

#include <filesystem>

namespace opencd::test {

namespace {

using kernels::Buffer;
using nn::ResNetConfig;
using nn::Shape;

constexpr int kSteps = 10;
constexpr double kLearningRate = 1e-3;
constexpr std::size_t kSamples = 2048;

/// As the script samples large tensors.
std::vector<float> sampled(const std::vector<float>& values) {
  const std::size_t stride = (values.size() + kSamples - 1) / kSamples;
  std::vector<float> result;
  for (std::size_t i = 0; i < values.size(); i += stride) result.push_back(values[i]);
  return result;
}

/// |actual - expected| / |expected| over a whole tensor.
double relative_error(const std::vector<float>& actual, const std::vector<float>& expected) {
  REQUIRE(actual.size() == expected.size());
  double error = 0.0;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    const double difference = static_cast<double>(actual[i]) - expected[i];
    error += difference * difference;
  }
  return std::sqrt(error / inner(expected, expected));
}

/// One golden file and a network of the same description that starts from it.
struct Start {
  Start(const char* name, const ResNetConfig& config)
      : file(golden(name)), model(test_engine()), network(model, config, shape_of_images()) {
    model.allocate();
    for (const nn::Parameter& parameter : model.parameters().all())
      model.parameters().write(parameter, file.read_f32("start." + parameter.name));
    for (const char* view : {"0", "1"}) {
      images.push_back(read(std::string("images.") + view));
      diffs.push_back(read(std::string("diff.") + view));
      saved.push_back(network.make_saved());
    }
  }
  Shape shape_of_images() const {
    const auto& shape = file.find("images.0")->shape;
    const auto at = [&](std::size_t i) { return static_cast<std::int64_t>(shape.at(i)); };
    return {at(0), at(1), at(2), at(3)};
  }
  Buffer<float> read(const std::string& name) const {
    return kernels::to_device(test_device(), file.read_f32(name));
  }
  kernels::Rows<float> as_rows(const Buffer<float>& buffer) const {
    const auto rows = static_cast<std::size_t>(network.images().n);
    return buffer.rows(rows, buffer.size() / rows);
  }
  std::vector<float> forward(std::size_t view) {
    const Buffer<float> dst(test_device(), diffs[view].size());
    network.forward(images[view], as_rows(dst), saved[view]);
    return kernels::to_host(test_device(), dst);
  }
  void backward(std::size_t view) {
    network.backward(images[view], as_rows(diffs[view]), saved[view]);
  }
  std::vector<float> infer() {
    const Buffer<float> dst(test_device(), diffs[0].size());
    network.infer(network.images(), images[0], as_rows(dst));
    return kernels::to_host(test_device(), dst);
  }

  files::SafetensorsFile file;
  nn::Model model;
  nn::ResNet network;
  std::vector<Buffer<float>> images;
  std::vector<Buffer<float>> diffs;
  std::vector<nn::Saved> saved;
};

/// `after_limit`: for weights after ten steps. Adam makes a full step of any gradient, even one
/// that is nothing but rounding, so that single entries may go astray.
void check_against_pytorch(const char* name, const ResNetConfig& config, double after_limit) {
  CAPTURE(std::string(name));
  Start start(name, config);
  const files::SafetensorsFile& file = start.file;
  nn::ParameterSet& parameters = start.model.parameters();

  CHECK(relative_error(start.forward(0), file.read_f32("output.0")) < 1e-4);
  CHECK(relative_error(start.forward(1), file.read_f32("output.1")) < 1e-4);
  start.backward(0);
  start.backward(1);
  for (const nn::Parameter& parameter : parameters.all()) {
    CAPTURE(parameter.name);
    if (parameter.role == nn::Role::trained)
      CHECK(relative_error(sampled(parameters.read_grad(parameter)),
                           file.read_f32("grad." + parameter.name)) < 1e-3);
    else
      CHECK(relative_error(parameters.read(parameter), file.read_f32("running." + parameter.name)) <
            1e-5);
  }
  CHECK(relative_error(start.infer(), file.read_f32("evaluation")) < 1e-4);

  nn::Optimizer adam(start.model, {});
  adam.step(kLearningRate);
  for (int step = 1; step < kSteps; ++step) {
    for (const std::size_t view : {0, 1}) start.forward(view);
    for (const std::size_t view : {0, 1}) start.backward(view);
    adam.step(kLearningRate);
  }
  for (const nn::Parameter& parameter : parameters.all()) {
    CAPTURE(parameter.name);
    CHECK(relative_error(sampled(parameters.read(parameter)),
                         file.read_f32("after." + parameter.name)) < after_limit);
  }
}

}  // namespace

TEST_SUITE_BEGIN("nn/resnet_golden");

TEST_CASE("ResNet-18 repeats PyTorch: outputs, gradients, statistics and ten Adam steps") {
  ResNetConfig config = nn::resnet_config("resnet18");
  config.width = 8;
  check_against_pytorch("resnet18.safetensors", config, 1e-3);
}

TEST_CASE("a CIFAR network with option-A shortcuts and classifier repeats PyTorch") {
  ResNetConfig config = nn::resnet_config("resnet20");
  config.blocks = {1, 1, 1};
  config.classes = 10;
  check_against_pytorch("cifar_resnet.safetensors", config, 1e-3);
}

TEST_CASE("bottleneck blocks behind the ImageNet stem repeat PyTorch") {
  ResNetConfig config = nn::resnet_config("resnet50", nn::Stem::imagenet);
  config.blocks = {1, 1};
  config.width = 16;
  check_against_pytorch("bottleneck.safetensors", config, 1e-3);
}

TEST_CASE("a model saved to a file loads again, value for value") {
  ResNetConfig config = nn::resnet_config("resnet20");
  config.classes = 10;
  const auto path = std::filesystem::temp_directory_path() / "opencd_model_weights.safetensors";
  std::vector<std::vector<float>> values[2];
  for (int run = 0; run < 2; ++run) {
    nn::Model model(test_engine());
    const nn::ResNet network(model, config, {2, 3, 8, 8});
    model.allocate();
    if (run == 0) {
      initialise(model.parameters(), 17);
      save_model(path, model.parameters());
    } else {
      load_model(path, model.parameters());
    }
    for (const nn::Parameter& parameter : model.parameters().all())
      values[run].push_back(model.parameters().read(parameter));
  }
  std::filesystem::remove(path);
  CHECK_EQ(values[0], values[1]);
}

TEST_SUITE_END();

}  // namespace opencd::test
