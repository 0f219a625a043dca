#include "nn/autoencoder.hpp"

#include "nn/layers.hpp"

#include <doctest/doctest.h>

namespace opencd::test {

namespace {

using kernels::Buffer;

struct BuiltAutoencoder {
  static constexpr std::size_t kRows = 6;
  static constexpr std::size_t kFeatures = 7;
  static constexpr std::size_t kEmbedding = 3;

  nn::Model model{test_engine()};
  nn::Autoencoder network{
      model,
      {.features = kFeatures, .hidden = {9, 8}, .embedding = kEmbedding, .slope = 0.2f},
      kRows};
  nn::Saved saved = network.make_saved();

  BuiltAutoencoder() {
    model.allocate();
    initialise(model.parameters(), 4);
  }

  /// e . de + y . dy, the loss whose gradients are de and dy.
  double loss(const std::vector<float>& x,
              const std::vector<float>& de,
              const std::vector<float>& dy) {
    const auto src = kernels::to_device(test_device(), x);
    network.forward(src.rows(kRows, kFeatures), saved);
    return inner(kernels::to_host(test_device(), network.embedded(saved).flat()), de) +
           inner(kernels::to_host(test_device(), network.reconstructed(saved).flat()), dy);
  }
};

}  // namespace

TEST_SUITE_BEGIN("nn/autoencoder");

TEST_CASE("gradients of embedding and reconstruction match finite differences") {
  BuiltAutoencoder built;
  const std::vector<float> x =
      Random(1).normals(BuiltAutoencoder::kRows * BuiltAutoencoder::kFeatures);
  const std::vector<float> dy = Random(2).normals(x.size());
  const std::vector<float> de =
      Random(3).normals(BuiltAutoencoder::kRows * BuiltAutoencoder::kEmbedding);
  built.loss(x, de, dy);
  const auto src = kernels::to_device(test_device(), x);
  const auto diff_embedded = kernels::to_device(test_device(), de);
  const auto diff_reconstructed = kernels::to_device(test_device(), dy);
  built.network.backward(
      src.rows(BuiltAutoencoder::kRows, BuiltAutoencoder::kFeatures),
      diff_embedded.rows(BuiltAutoencoder::kRows, BuiltAutoencoder::kEmbedding),
      diff_reconstructed.rows(BuiltAutoencoder::kRows, BuiltAutoencoder::kFeatures), built.saved);
  nn::ParameterSet& parameters = built.model.parameters();
  CHECK_EQ(parameters.all().size(), 12);  // six layers
  for (const nn::Parameter& parameter : parameters.all()) {
    CAPTURE(parameter.name);
    const std::vector<float> start = parameters.read(parameter);
    CHECK_EQ(gradient_difference(start, parameters.read_grad(parameter),
                                 [&](const auto& at) {
                                   parameters.write(parameter, at);
                                   return built.loss(x, de, dy);
                                 },
                                 {.step = 5e-3}),
             "");
    parameters.write(parameter, start);
  }
}

TEST_CASE("encode gives the embedding of forward, for any number of rows") {
  BuiltAutoencoder built;
  const std::vector<float> x =
      Random(5).normals(BuiltAutoencoder::kRows * BuiltAutoencoder::kFeatures);
  const auto src = kernels::to_device(test_device(), x);
  built.network.forward(src.rows(BuiltAutoencoder::kRows, BuiltAutoencoder::kFeatures),
                        built.saved);
  const auto expected = kernels::to_host(test_device(), built.network.embedded(built.saved).flat());
  const Buffer<float> two(test_device(), 2 * BuiltAutoencoder::kEmbedding);
  built.network.encode({src.data() + BuiltAutoencoder::kFeatures, 2, BuiltAutoencoder::kFeatures},
                       two.rows(2, BuiltAutoencoder::kEmbedding));
  CHECK_CLOSE(kernels::to_host(test_device(), two),
              std::vector<double>(expected.begin() + BuiltAutoencoder::kEmbedding,
                                  expected.begin() + 3 * BuiltAutoencoder::kEmbedding),
              .rtol = 1e-5, .atol = 1e-6);
}

TEST_SUITE_END();

}  // namespace opencd::test
