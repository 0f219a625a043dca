#include "nn/resnet.hpp"

#include "nn/layers.hpp"
#include "nn/memory_plan.hpp"
#include "nn/optimizer.hpp"
#include "nn/projection_head.hpp"

namespace opencd::test {

namespace {

using kernels::Buffer;
using nn::FreezePoint;
using nn::FrozenNorm;
using nn::ResNet;
using nn::ResNetConfig;
using nn::Shape;

const Shape kImages{4, 3, 8, 8};

ResNetConfig small_config() {
  ResNetConfig config = nn::resnet_config("resnet18");
  config.blocks = {1, 1, 1, 1};
  config.width = 8;
  return config;
}

/// A small network with start values.
struct BuiltNetwork {
  explicit BuiltNetwork(const ResNetConfig& config,
                        const Shape& images = kImages,
                        const nn::ModelOptions& options = {})
      : model(test_engine(), options), network(model, config, images) {
    model.allocate();
    initialise(model.parameters(), 21);
  }
  std::size_t rows() const { return static_cast<std::size_t>(network.images().n); }
  std::size_t columns() const { return static_cast<std::size_t>(network.config().output_count()); }
  Buffer<float> make_rows() const { return {test_device(), rows() * columns()}; }

  std::vector<float> forward(const std::vector<float>& x, const nn::Saved& saved) {
    const auto src = kernels::to_device(test_device(), x);
    const Buffer<float> dst = make_rows();
    network.forward(src, dst.rows(rows(), columns()), saved);
    return kernels::to_host(test_device(), dst);
  }
  void backward(const std::vector<float>& x,
                const std::vector<float>& dy,
                const nn::Saved& saved,
                std::size_t first_stage = 0) {
    const auto src = kernels::to_device(test_device(), x);
    const auto diff = kernels::to_device(test_device(), dy);
    network.backward(src, diff.rows(rows(), columns()), saved, first_stage);
  }
  std::vector<float> infer(const Shape& shape, const std::vector<float>& x) {
    const auto src = kernels::to_device(test_device(), x);
    const auto count = static_cast<std::size_t>(shape.n);
    const Buffer<float> dst(test_device(), count * columns());
    network.infer(shape, src, dst.rows(count, columns()));
    return kernels::to_host(test_device(), dst);
  }
  std::vector<float> read(const char* name) {
    return model.parameters().read(*model.parameters().find(name));
  }
  /// All trained values, bit for bit.
  std::vector<float> trained_values() {
    return kernels::to_host(test_device(), model.parameters().values(nn::Role::trained));
  }

  nn::Model model;
  ResNet network;
};

}  // namespace

TEST_SUITE_BEGIN("nn/resnet");

TEST_CASE("gradients of two views in flight match finite differences of their sum") {
  // Large enough for 2 x 2 pixels in stage 4: statistics of few values make a crooked function.
  // Thousands of ReLUs have a kink near every step, so the step is as small as f32 allows.
  const Shape images{8, 3, 16, 16};
  BuiltNetwork built(small_config(), images);
  const std::size_t count = size_of(images);
  const std::vector<float> x1 = Random(1).normals(count);
  const std::vector<float> x2 = Random(2).normals(count);
  const std::vector<float> dy = Random(3).normals(built.rows() * built.columns());
  const nn::Saved saved1 = built.network.make_saved();
  const nn::Saved saved2 = built.network.make_saved();
  built.forward(x1, saved1);
  built.forward(x2, saved2);
  built.backward(x1, dy, saved1);
  built.backward(x2, dy, saved2);
  nn::ParameterSet& parameters = built.model.parameters();
  for (const char* name :
       {"conv1.weight", "bn1.weight", "layer1.0.conv2.weight", "layer2.0.downsample.0.weight",
        "layer3.0.bn1.bias", "layer4.0.conv1.weight", "layer4.0.downsample.1.weight"}) {
    CAPTURE(std::string(name));
    const nn::Parameter& parameter = *parameters.find(name);
    const std::vector<float> start = parameters.read(parameter);
    CHECK_EQ(gradient_difference(start, parameters.read_grad(parameter),
                                 [&](const auto& at) {
                                   parameters.write(parameter, at);
                                   return inner(built.forward(x1, saved1), dy) +
                                          inner(built.forward(x2, saved2), dy);
                                 },
                                 {.step = 2e-4, .tolerance = 2e-2, .samples = 12}),
             "");
    parameters.write(parameter, start);
  }
}

TEST_CASE("frozen stages keep their weights and no activations") {
  ResNetConfig config = small_config();
  const std::size_t all = BuiltNetwork(config).network.saved_layout().bytes();
  config.freeze = FreezePoint::stage3;
  for (const FrozenNorm norm : {FrozenNorm::batch, FrozenNorm::fixed}) {
    config.frozen_norm = norm;
    BuiltNetwork built(config);
    CHECK(built.network.saved_layout().bytes() < all / 4);
    const std::vector<float> frozen = built.read("layer3.0.conv2.weight");
    const std::vector<float> trained = built.read("layer4.0.conv1.weight");
    const std::vector<float> mean = built.read("layer1.0.bn1.running_mean");
    nn::Optimizer optimizer(built.model, {});
    const nn::Saved saved = built.network.make_saved();
    const std::vector<float> x = Random(4).normals(size_of(kImages));
    built.forward(x, saved);
    built.backward(x, Random(5).normals(built.rows() * built.columns()), saved);
    optimizer.step(1e-2);
    CHECK_EQ(built.read("layer3.0.conv2.weight"), frozen);
    CHECK_NE(built.read("layer4.0.conv1.weight"), trained);
    CHECK((built.read("layer1.0.bn1.running_mean") != mean) == (norm == FrozenNorm::batch));
    CHECK_NE(built.read("layer4.0.bn1.running_mean"), mean);
  }
}

TEST_CASE("freezing changes neither the output nor the gradients of what is trained") {
  const std::vector<float> x = Random(6).normals(size_of(kImages));
  BuiltNetwork whole(small_config());
  ResNetConfig config = small_config();
  config.freeze = FreezePoint::stage2;
  BuiltNetwork frozen(config);
  const std::vector<float> dy = Random(7).normals(whole.rows() * whole.columns());
  std::vector<std::vector<float>> outputs, grads;
  for (BuiltNetwork* built : {&whole, &frozen}) {
    const nn::Saved saved = built->network.make_saved();
    outputs.push_back(built->forward(x, saved));
    built->backward(x, dy, saved);
    const nn::ParameterSet& parameters = built->model.parameters();
    grads.push_back(parameters.read_grad(*parameters.find("layer3.0.conv1.weight")));
  }
  CHECK_EQ(outputs[0], outputs[1]);
  CHECK_EQ(grads[0], grads[1]);
}

TEST_CASE("a gradient may end above the first stages, which then have none") {
  const std::vector<float> x = Random(6).normals(size_of(kImages));
  BuiltNetwork whole(small_config());
  BuiltNetwork part(small_config());
  const std::vector<float> dy = Random(7).normals(whole.rows() * whole.columns());
  const nn::Saved saved = whole.network.make_saved();
  whole.forward(x, saved);
  whole.backward(x, dy, saved);
  const nn::Saved other = part.network.make_saved();
  part.forward(x, other);
  part.backward(x, dy, other, 3);
  for (const nn::Parameter& parameter : part.model.parameters().all()) {
    if (parameter.role != nn::Role::trained) continue;
    CAPTURE(parameter.name);
    const std::vector<float> grad = part.model.parameters().read_grad(parameter);
    const bool above = parameter.name.starts_with("layer3") || parameter.name.starts_with("layer4");
    if (above)
      CHECK_EQ(grad,
               whole.model.parameters().read_grad(*whole.model.parameters().find(parameter.name)));
    else
      CHECK_EQ(grad, std::vector<float>(grad.size(), 0.0f));
  }
}

TEST_CASE("the range of a stage begins at its first parameter and ends with the network's last") {
  BuiltNetwork built(small_config());
  const ResNet& network = built.network;
  const std::size_t size = built.model.parameters().size(nn::Role::trained);
  CHECK_EQ(network.trained_from(0), nn::ParameterRange{0, size});
  for (const std::size_t stage : {1, 2, 3, 4}) {
    CAPTURE(stage);
    const nn::Parameter* first =
        built.model.parameters().find(fmt::format("layer{}.0.conv1.weight", stage));
    CHECK_EQ(network.trained_from(stage), nn::ParameterRange{first->offset, size - first->offset});
  }
  CHECK_EQ(network.trained_from(5).count, 0);  // no classifier
  ResNetConfig frozen = small_config();
  frozen.freeze = nn::FreezePoint::stage3;
  BuiltNetwork last(frozen);
  CHECK_EQ(last.network.trained_from(4), last.network.trained_from(0));
}

TEST_CASE("inference with folded batch norm equals fixed statistics layer by layer") {
  // With every stage fixed but the last, training statistics apply to one stage only; moving the
  // running ones of that stage to the batch's makes both paths the same function.
  for (const char* arch : {"resnet18", "resnet20", "resnet50"}) {
    CAPTURE(arch);
    ResNetConfig config = nn::resnet_config(arch);
    config.width = 8;
    config.blocks.assign(config.blocks.size(), 1);
    config.freeze = FreezePoint::stage2;
    config.frozen_norm = FrozenNorm::fixed;
    if (config.blocks.size() == 3) config.classes = 10;
    const Shape images{8, 3, 16, 16};
    BuiltNetwork built(config, images);
    const nn::Saved saved = built.network.make_saved();
    const std::vector<float> x = Random(8).normals(size_of(images));
    std::vector<float> trained;
    for (int pass = 0; pass < 200; ++pass) trained = built.forward(x, saved);
    // The running variance is the unbiased one: a factor of n / (n - 1) with n at least 32.
    CHECK_CLOSE(built.infer(images, x), trained, .rtol = 5e-2, .atol = 5e-2);
  }
}

TEST_CASE("inference takes any number of pictures and follows new weights") {
  BuiltNetwork built(small_config());
  const std::vector<float> x = Random(9).normals(size_of(kImages));
  const std::vector<float> all = built.infer(kImages, x);
  const std::vector<float> one = built.infer({1, 3, 8, 8}, {x.begin(), x.begin() + 3 * 8 * 8});
  CHECK_CLOSE(one, std::vector<float>(all.begin(), all.begin() + 64), .rtol = 1e-5, .atol = 1e-6);
  built.infer({2, 3, 12, 12}, Random(10).normals(2 * 3 * 12 * 12));

  const nn::ParameterSet& parameters = built.model.parameters();
  built.model.parameters().write(*parameters.find("layer4.0.bn2.bias"),
                                 std::vector<float>(64, 100.0f));
  for (const float value : built.infer(kImages, x)) CHECK(value > 50.0f);
}

TEST_CASE("inference on pictures of two sizes uses no slow reference primitive") {
  // oneDNN blocks the weights of strided convolutions by the size of the picture.
  ResNetConfig config = small_config();
  config.width = 16;
  BuiltNetwork built(config, {64, 3, 28, 28});
  for (const std::int64_t size : {64, 56, 28}) {
    const Shape images{64, 3, size, size};
    const std::vector<float> x = Random(12).normals(size_of(images));
    const std::vector<float> all = built.infer(images, x);
    const std::vector<float> one =
        built.infer({1, 3, size, size}, {x.begin(), x.begin() + 3 * size * size});
    CHECK_CLOSE(one, std::vector<float>(all.begin(), all.begin() + 128), .rtol = 1e-4,
                .atol = 1e-5);
  }
  for (const std::string& implementation : built.model.implementations())
    CHECK_MESSAGE(implementation.find("ref") == std::string::npos, implementation);
}

TEST_CASE("a steady step allocates nothing and uses no slow reference primitive") {
  for (const FrozenNorm norm : {FrozenNorm::batch, FrozenNorm::fixed}) {
    ResNetConfig config = small_config();
    config.freeze = FreezePoint::stage2;
    config.frozen_norm = norm;
    BuiltNetwork built(config);
    nn::Optimizer optimizer(built.model, {});
    const nn::Saved saved = built.network.make_saved();
    const auto src = kernels::to_device(test_device(), Random(11).normals(size_of(kImages)));
    const Buffer<float> dst = built.make_rows();
    const auto step = [&] {
      built.network.forward(src, dst.rows(built.rows(), built.columns()), saved);
      built.network.backward(src, dst.rows(built.rows(), built.columns()), saved);
      optimizer.step(1e-3);
      test_device().wait();
    };
    step();
    const std::size_t allocations = test_device().memory().allocations;
    for (int i = 0; i < 3; ++i) step();
    CHECK(test_device().memory().allocations == allocations);
    for (const std::string& implementation : built.model.implementations())
      CHECK_MESSAGE(implementation.find("ref") == std::string::npos, implementation);
  }
}

TEST_CASE("the memory plan is what training then takes") {
  const Shape images{64, 3, 28, 28};
  ResNetConfig config = nn::resnet_config("resnet18");
  config.width = 16;
  config.freeze = FreezePoint::stage3;
  for (const FrozenNorm norm : {FrozenNorm::batch, FrozenNorm::fixed}) {
    config.frozen_norm = norm;
    const std::size_t before = test_device().memory().used;
    nn::Model model(test_engine());
    ResNet network(model, config, images);
    nn::ProjectionHead head(model, {.in_features = config.feature_count()}, images.n);
    const nn::OptimizerConfig adam;
    const nn::MemoryPlan plan =
        plan_memory(model, adam, {{network.saved_layout(), 2}, {head.saved_layout(), 2}});
    CHECK(test_device().memory().used == before);

    model.allocate();
    initialise(model.parameters(), 1);
    nn::Optimizer optimizer(model, adam);
    const Buffer<float> src(test_device(), size_of(images));
    const Buffer<float> features(test_device(), 64 * 128);
    const Buffer<float> z(test_device(), 64 * 32);
    std::vector<nn::Saved> saved;
    for (int view = 0; view < 2; ++view) {
      const nn::Saved& encoder_saved = saved.emplace_back(network.make_saved());
      network.forward(src, features.rows(64, 128), encoder_saved);
      network.backward(src, features.rows(64, 128), encoder_saved);
      const nn::Saved& head_saved = saved.emplace_back(head.make_saved());
      head.forward(features.rows(64, 128), z.rows(64, 32), head_saved);
      head.backward(features.rows(64, 128), z.rows(64, 32), features.rows(64, 128), head_saved);
    }
    optimizer.step(1e-3);
    const std::size_t callers = sizeof(float) * (src.size() + features.size() + z.size());
    const auto used = static_cast<double>(test_device().memory().used - before - callers);
    CHECK(static_cast<double>(plan.total()) == doctest::Approx(used).epsilon(0.02));
  }
}

TEST_CASE("twenty steps give the same weights, bit for bit, every time") {
  for (const bool deterministic : {false, true}) {
    std::vector<std::vector<float>> runs;
    for (int run = 0; run < 2; ++run) {
      BuiltNetwork built(small_config(), kImages, {.deterministic = deterministic});
      nn::Optimizer optimizer(built.model, {});
      const nn::Saved saved = built.network.make_saved();
      for (std::uint32_t step = 0; step < 20; ++step) {
        const std::vector<float> x = Random(step).normals(size_of(kImages));
        built.backward(x, built.forward(x, saved), saved);
        optimizer.step(1e-3);
      }
      runs.push_back(built.trained_values());
    }
    CHECK_EQ(runs[0], runs[1]);
  }
}

TEST_CASE("refuses unknown names and training of a network built for inference") {
  CHECK_THROWS_AS(nn::resnet_config("resnet19"), UsageError);
  ResNetConfig config = small_config();
  config.inference_only = true;
  BuiltNetwork built(config);
  const nn::Saved saved = built.network.make_saved();
  CHECK_THROWS_AS(built.forward(std::vector<float>(size_of(kImages)), saved), ShapeError);
  CHECK(built.infer(kImages, std::vector<float>(size_of(kImages))).size() == 4 * 64);
}

TEST_SUITE_END();

}  // namespace opencd::test
