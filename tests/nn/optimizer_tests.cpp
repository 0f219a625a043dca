#include "nn/optimizer.hpp"

#include "nn/layers.hpp"

#include <array>
#include <limits>

namespace opencd::test {

namespace {

using nn::Optimizer;
using nn::OptimizerConfig;
using nn::OptimizerKind;

constexpr std::size_t kCount = 1000;

/// Two parameters, the second without weight decay, and their gradients.
struct BuiltOptimizer {
  explicit BuiltOptimizer(const OptimizerConfig& config) : model(test_engine()) {
    nn::ParameterSet& parameters = model.parameters();
    weight = &parameters.add({.name = "weight", .desc = nn::plain_desc({kCount})});
    bias = &parameters.add({.name = "bias", .desc = nn::plain_desc({3}), .decay = false});
    model.allocate();
    parameters.write(*weight, Random(1).normals(kCount));
    parameters.write(*bias, std::vector<float>{1.0f, -2.0f, 3.0f});
    optimizer.emplace(model, config);
  }
  void set_grad(const nn::Parameter& parameter, const std::vector<float>& values) {
    kernels::copy_to_device<float>(test_device(), values, parameter.grad);
  }
  std::vector<float> read(const nn::Parameter& parameter) {
    return model.parameters().read(parameter);
  }

  nn::Model model;
  const nn::Parameter* weight;
  const nn::Parameter* bias;
  std::optional<Optimizer> optimizer;
};

/// The textbook in double, one parameter.
struct Reference {
  OptimizerConfig config;
  std::vector<double> value, first, second, ema;

  Reference(const OptimizerConfig& c, const std::vector<float>& start)
      : config(c),
        value(start.begin(), start.end()),
        first(start.size()),
        second(start.size()),
        ema(value) {}
  void step(const std::vector<float>& grad, double rate, int t, double decay) {
    for (std::size_t i = 0; i < value.size(); ++i) {
      const double g = grad[i] + decay * value[i];
      if (config.kind == OptimizerKind::adam) {
        first[i] = config.beta1 * first[i] + (1 - config.beta1) * g;
        second[i] = config.beta2 * second[i] + (1 - config.beta2) * g * g;
        const double m = first[i] / (1 - std::pow(config.beta1, t));
        const double v = second[i] / (1 - std::pow(config.beta2, t));
        value[i] -= rate * m / (std::sqrt(v) + config.epsilon);
      } else {
        first[i] = config.momentum * first[i] + g;
        value[i] -= rate * (config.nesterov ? g + config.momentum * first[i] : first[i]);
      }
      ema[i] = config.ema_decay * ema[i] + (1 - config.ema_decay) * value[i];
    }
  }
};

}  // namespace

TEST_SUITE_BEGIN("nn/optimizer");

TEST_CASE("ten steps of Adam and SGD match the double reference") {
  for (const OptimizerConfig& config :
       {OptimizerConfig{},
        OptimizerConfig{.weight_decay = 1e-2, .decay_all = false, .ema_decay = 0.9},
        OptimizerConfig{.kind = OptimizerKind::sgd, .momentum = 0.9, .weight_decay = 5e-4},
        OptimizerConfig{.kind = OptimizerKind::sgd,
                        .momentum = 0.8,
                        .nesterov = true,
                        .weight_decay = 1e-2,
                        .decay_all = false,
                        .ema_decay = 0.99}}) {
    CAPTURE(static_cast<int>(config.kind));
    CAPTURE(config.nesterov);
    BuiltOptimizer built(config);
    Reference weight(config, built.read(*built.weight));
    Reference bias(config, built.read(*built.bias));
    Random random(2);
    for (int t = 1; t <= 10; ++t) {
      const std::vector<float> dw = random.normals(kCount);
      const std::vector<float> db = random.normals(3);
      built.set_grad(*built.weight, dw);
      built.set_grad(*built.bias, db);
      const double rate = 1e-2 / t;
      built.optimizer->step(rate);
      weight.step(dw, rate, t, config.weight_decay);
      bias.step(db, rate, t, config.decay_all ? config.weight_decay : 0.0);
    }
    CHECK_CLOSE(built.read(*built.weight), weight.value, .rtol = 1e-5, .atol = 1e-6);
    CHECK_CLOSE(built.read(*built.bias), bias.value, .rtol = 1e-5, .atol = 1e-6);
    if (config.ema_decay != 0.0) {
      std::vector<float> averages = kernels::to_host(test_device(), built.optimizer->averages());
      averages.resize(kCount);
      CHECK_CLOSE(averages, weight.ema, .rtol = 1e-5, .atol = 1e-6);
    }
  }
}

TEST_CASE("what is not trained keeps weights, moments and averages, and has no part in the norm") {
  for (const OptimizerKind kind : {OptimizerKind::adam, OptimizerKind::sgd}) {
    const OptimizerConfig config{
        .kind = kind, .weight_decay = 0.1, .decay_all = false, .ema_decay = 0.5};
    BuiltOptimizer part(config);
    BuiltOptimizer whole(config);
    const std::vector<float> weight = part.read(*part.weight);
    const std::vector<float> bias = part.read(*part.bias);
    const nn::ParameterRange trained{
        part.bias->offset, part.model.parameters().size(nn::Role::trained) - part.bias->offset};
    part.optimizer->train(std::span(&trained, 1));
    for (BuiltOptimizer* built : {&part, &whole}) {
      built->set_grad(*built->bias, {3.0f, 0.0f, 4.0f});
      built->optimizer->step(1e-2);
    }
    CHECK_EQ(part.read(*part.weight), weight);
    CHECK(whole.read(*whole.weight) != weight);  // decay alone moves it
    CHECK_EQ(part.read(*part.bias), whole.read(*whole.bias));
    CHECK(part.read(*part.bias) != bias);
    const auto averages = kernels::to_host(test_device(), part.optimizer->averages());
    CHECK_EQ(std::vector<float>(averages.begin(), averages.begin() + kCount), weight);
    const auto moments = kernels::to_host(test_device(), part.optimizer->first_moments());
    CHECK_EQ(std::vector<float>(moments.begin(), moments.begin() + kCount),
             std::vector<float>(kCount, 0.0f));
    CHECK(part.optimizer->record().squares == doctest::Approx(25.0));

    // Not finite, but nobody's business.
    part.set_grad(*part.weight, std::vector<float>(kCount, std::numeric_limits<float>::infinity()));
    part.set_grad(*part.bias, {1.0f, 1.0f, 1.0f});
    part.optimizer->step(1e-2);
    CHECK_EQ(part.optimizer->record().bad, 0);
    CHECK_EQ(part.read(*part.weight), weight);
  }
}

TEST_CASE("adjacent ranges are one to the bit, and ranges that are none are refused") {
  BuiltOptimizer whole({.weight_decay = 0.1});
  BuiltOptimizer pieces({.weight_decay = 0.1});
  const std::size_t size = pieces.model.parameters().size(nn::Role::trained);
  const nn::ParameterRange ranges[] = {{0, pieces.bias->offset},
                                       {pieces.bias->offset, 0},
                                       {pieces.bias->offset, size - pieces.bias->offset}};
  pieces.optimizer->train(ranges);
  for (BuiltOptimizer* built : {&whole, &pieces}) {
    built->set_grad(*built->weight, Random(6).normals(kCount));
    built->optimizer->step(1e-2);
  }
  CHECK_EQ(whole.read(*whole.weight), pieces.read(*pieces.weight));
  CHECK_EQ(whole.optimizer->record().squares, pieces.optimizer->record().squares);
  for (const auto& bad : {std::array<nn::ParameterRange, 2>{{{16, 16}, {0, 16}}},
                          std::array<nn::ParameterRange, 2>{{{0, 32}, {16, 16}}},
                          std::array<nn::ParameterRange, 2>{{{0, 16}, {16, size}}},
                          std::array<nn::ParameterRange, 2>{{{0, 16}, {17, 8}}}})
    CHECK_THROWS_AS(pieces.optimizer->train(bad), ShapeError);
}

TEST_CASE("weights and averages change places and back, and averages begin anew") {
  BuiltOptimizer built({.ema_decay = 0.9});
  built.set_grad(*built.weight, Random(4).normals(kCount));
  built.optimizer->step(1e-2);
  const std::vector<float> weight = built.read(*built.weight);
  const auto averages = [&] {
    return kernels::to_host(test_device(), built.optimizer->averages());
  };
  const std::vector<float> average = averages();
  built.optimizer->exchange_averages();
  CHECK(built.read(*built.weight) != weight);
  built.optimizer->exchange_averages();
  CHECK_EQ(built.read(*built.weight), weight);
  CHECK_EQ(averages(), average);
  built.optimizer->restart_averages();
  built.optimizer->exchange_averages();
  CHECK_EQ(built.read(*built.weight), weight);
  BuiltOptimizer plain({});
  const std::vector<float> before = plain.read(*plain.weight);
  plain.optimizer->exchange_averages();
  CHECK_EQ(plain.read(*plain.weight), before);
}

TEST_CASE("an optimizer that begins anew is as good as a new one") {
  for (const OptimizerConfig& config :
       {OptimizerConfig{.ema_decay = 0.9}, OptimizerConfig{.kind = OptimizerKind::sgd}}) {
    BuiltOptimizer used(config);
    used.set_grad(*used.weight, Random(4).normals(kCount));
    used.optimizer->step(1e-2);
    used.optimizer->restart();
    CHECK_EQ(used.optimizer->steps(), 0);
    BuiltOptimizer fresh(config);
    fresh.model.parameters().write(*fresh.weight, used.read(*used.weight));
    fresh.optimizer->restart_averages();
    for (BuiltOptimizer* built : {&used, &fresh}) {
      built->set_grad(*built->weight, Random(5).normals(kCount));
      built->optimizer->step(1e-2);
    }
    CHECK_EQ(used.read(*used.weight), fresh.read(*fresh.weight));
  }
}

TEST_CASE("a step reports the norm of the gradient and clears it") {
  BuiltOptimizer built({});
  built.set_grad(*built.bias, {3.0f, 0.0f, 4.0f});
  built.optimizer->step(1e-3);
  CHECK(built.optimizer->record().squares == doctest::Approx(25.0));
  CHECK(built.optimizer->record().bad == 0);
  const std::vector<float> grads =
      kernels::to_host(test_device(), built.model.parameters().grads());
  CHECK_EQ(grads, std::vector<float>(grads.size(), 0.0f));
}

TEST_CASE("a gradient that is not finite changes no weight and no moment") {
  for (const float bad :
       {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()})
    for (const OptimizerKind kind : {OptimizerKind::adam, OptimizerKind::sgd}) {
      BuiltOptimizer built({.kind = kind, .ema_decay = 0.5});
      built.set_grad(*built.weight, Random(3).normals(kCount));
      built.optimizer->step(1e-2);
      const std::vector<float> weight = built.read(*built.weight);
      const auto first = kernels::to_host(test_device(), built.optimizer->first_moments());
      built.set_grad(*built.bias, {0.0f, bad, 0.0f});
      built.optimizer->step(1e-2);
      CHECK(built.optimizer->record().bad == 1);
      CHECK_EQ(built.read(*built.weight), weight);
      CHECK_EQ(kernels::to_host(test_device(), built.optimizer->first_moments()), first);
    }
}

TEST_SUITE_END();

}  // namespace opencd::test
