#include "nn/parameter.hpp"

#include "nn/layers.hpp"
#include "nn/resnet.hpp"

#include <numeric>

namespace opencd::test {

namespace {

using nn::Init;
using nn::ParameterSet;
using nn::Role;

}  // namespace

TEST_SUITE_BEGIN("nn/parameter");

TEST_CASE("values pass through padded and blocked layouts unchanged") {
  using Tag = dnnl::memory::format_tag;
  ParameterSet parameters(test_engine());
  for (const Tag tag : {Tag::oihw, Tag::OIhw16i16o, Tag::OIhw16o16i, Tag::hwio})
    parameters.add({.name = fmt::format("w{}", static_cast<int>(tag)),
                    .desc = nn::Desc({20, 5, 3, 3}, dnnl::memory::data_type::f32, tag)});
  parameters.allocate();
  const std::vector<float> values = Random(1).normals(900);
  for (const nn::Parameter& parameter : parameters.all()) {
    parameters.write(parameter, values);
    CHECK_EQ(parameters.read(parameter), values);
  }
  // Padding is zero, so the sum of squares over the flat range is that of the values.
  double squares = 0.0;
  for (const float value : kernels::to_host(test_device(), parameters.values(Role::trained)))
    squares += static_cast<double>(value) * value;
  CHECK(squares == doctest::Approx(4.0 * inner(values, values)).epsilon(1e-12));
}

TEST_CASE("start values have the moments of Kaiming's rule and depend on seed and name alone") {
  const auto start = [](std::uint32_t seed, const std::string& name, Role role) {
    ParameterSet parameters(test_engine());
    parameters.add({.name = "other", .desc = nn::plain_desc({7})});
    const nn::Parameter& weights = parameters.add({.name = name,
                                                   .desc = nn::plain_desc({64, 32, 3, 3}),
                                                   .role = role,
                                                   .init = Init::kaiming_normal});
    parameters.allocate();
    initialise(parameters, seed);
    return parameters.read(weights);
  };
  const std::vector<float> values = start(1, "conv1.weight", Role::trained);
  const double n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  const double variance = inner(values, values) / n - mean * mean;
  const double expected = 2.0 / (64 * 9);
  CHECK(std::abs(mean) < 4.0 * std::sqrt(expected / n));
  CHECK(variance == doctest::Approx(expected).epsilon(4.0 * std::sqrt(2.0 / n)));

  CHECK_EQ(start(1, "conv1.weight", Role::frozen), values);
  CHECK_NE(start(2, "conv1.weight", Role::trained), values);
  CHECK_NE(start(1, "conv2.weight", Role::trained), values);
}

TEST_CASE("unit rows have length one and no two are alike") {
  ParameterSet parameters(test_engine());
  const nn::Parameter& weights = parameters.add(
      {.name = "classifier.weight", .desc = nn::plain_desc({9, 33}), .init = Init::unit_rows});
  parameters.allocate();
  initialise(parameters, 4);
  const std::vector<float> values = parameters.read(weights);
  for (std::size_t i = 0; i < 9; ++i) {
    const std::vector<float> row(values.begin() + 33 * static_cast<std::ptrdiff_t>(i),
                                 values.begin() + 33 * static_cast<std::ptrdiff_t>(i + 1));
    CHECK(inner(row, row) == doctest::Approx(1.0).epsilon(1e-6));
    const std::vector<float> first(values.begin(), values.begin() + 33);
    if (i != 0) CHECK(std::abs(inner(row, first)) < 0.9);
  }
}

TEST_CASE("batch norm starts as the identity and biases at zero") {
  nn::Model model(test_engine());
  nn::ResNetConfig config = nn::resnet_config("resnet20");
  config.classes = 10;
  const nn::ResNet network(model, config, {2, 3, 8, 8});
  model.allocate();
  initialise(model.parameters(), 5);
  const auto all_equal = [&](const char* name, float expected) {
    const std::vector<float> values = model.parameters().read(*model.parameters().find(name));
    return values == std::vector<float>(values.size(), expected);
  };
  CHECK(all_equal("layer2.0.bn1.weight", 1.0f));
  CHECK(all_equal("layer2.0.bn1.bias", 0.0f));
  CHECK(all_equal("layer2.0.bn1.running_mean", 0.0f));
  CHECK(all_equal("layer2.0.bn1.running_var", 1.0f));
  CHECK(all_equal("linear.bias", 0.0f));
}

TEST_CASE("rejects a name that is taken, values of another count and late additions") {
  ParameterSet parameters(test_engine());
  const nn::Parameter& first = parameters.add({.name = "a", .desc = nn::plain_desc({3})});
  CHECK_THROWS_AS(parameters.add({.name = "a", .desc = nn::plain_desc({3})}), ShapeError);
  parameters.allocate();
  CHECK_THROWS_WITH_AS(parameters.write(first, std::vector<float>(4)),
                       "[a] expected 3 values, got 4", ShapeError);
  CHECK_THROWS_AS(parameters.add({.name = "b", .desc = nn::plain_desc({3})}), ShapeError);
}

TEST_SUITE_END();

}  // namespace opencd::test
