#include "nn/batch_norm.hpp"

#include "nn/layers.hpp"

#include <optional>

namespace opencd::test {

namespace {

using nn::BatchNorm;
using nn::Shape;

constexpr double kEpsilon = 1e-5;

/// A batch norm with random affine parameters and everything that one pass keeps.
struct BuiltNorm {
  BuiltNorm(const Shape& shape, bool relu, bool channels_last = false)
      : model(test_engine()),
        desc(channels_last ? nn::channels_last_desc(shape) : nn::plain_desc(shape.dims())),
        pass(model),
        norm(model, "bn", {.channels = shape.c, .relu = relu}, desc, nn::Use::train) {
    pass.statistics.add(norm, shape.n * shape.h * shape.w);
    if (relu) mask = pass.saved.reserve(norm.mask_desc());
    pass.statistics.reserve(pass.saved);
    model.allocate();
    initialise(model.parameters(), 1);
    Random random(7);
    const auto channels = static_cast<std::size_t>(shape.c);
    weight = random.normals(channels, 0.5);
    bias = random.normals(channels, 0.5);
    model.parameters().write(norm.weight(), weight);
    model.parameters().write(norm.bias(), bias);
    saved.emplace(test_device(), pass.saved);
  }
  nn::BatchNormSaved norm_saved() const {
    nn::BatchNormSaved slice = pass.statistics.slice(norm, *saved);
    slice.mask = saved->at(mask);
    return slice;
  }
  std::vector<float> forward(const std::vector<float>& x) {
    const auto src = to_layout(x, desc);
    const auto dst = make_tensor(desc);
    norm.forward(src, dst, norm_saved());
    return from_layout(dst, desc);
  }

  nn::Model model;
  nn::Desc desc;
  nn::PassLayout pass;
  BatchNorm norm;
  nn::Slot mask;
  std::vector<float> weight;
  std::vector<float> bias;
  std::optional<nn::Saved> saved;
};

struct Moments {
  std::vector<double> mean;
  std::vector<double> var;
};

/// Calls `body(index, channel)` for every element.
template <class Body>
void for_each(const Shape& shape, Body body) {
  const auto pixels = static_cast<std::size_t>(shape.h * shape.w);
  for (std::size_t i = 0; i < size_of(shape); ++i)
    body(i, i / pixels % static_cast<std::size_t>(shape.c));
}

Moments moments(const Shape& shape, const std::vector<float>& x) {
  const auto channels = static_cast<std::size_t>(shape.c);
  const double count = static_cast<double>(x.size()) / static_cast<double>(channels);
  Moments result{std::vector<double>(channels), std::vector<double>(channels)};
  for_each(shape, [&](std::size_t i, std::size_t c) { result.mean[c] += x[i] / count; });
  for_each(shape, [&](std::size_t i, std::size_t c) {
    result.var[c] += (x[i] - result.mean[c]) * (x[i] - result.mean[c]) / count;
  });
  return result;
}

std::vector<double> normalised(const Shape& shape,
                               const std::vector<float>& x,
                               const Moments& moments,
                               const BuiltNorm& built,
                               bool relu) {
  std::vector<double> y(x.size());
  for_each(shape, [&](std::size_t i, std::size_t c) {
    y[i] = (x[i] - moments.mean[c]) / std::sqrt(moments.var[c] + kEpsilon) * built.weight[c] +
           built.bias[c];
    if (relu) y[i] = std::max(y[i], 0.0);
  });
  return y;
}

/// With ReLU, and with the channels innermost, whose statistics a kernel of ours takes.
const std::vector<std::pair<bool, bool>> kForms = {
    {false, false}, {true, false}, {false, true}, {true, true}};
const std::vector<Shape> kShapes = {{4, 16, 5, 5}, {3, 5, 4, 7}, {64, 24, 1, 1}};

}  // namespace

TEST_SUITE_BEGIN("nn/batch_norm");

TEST_CASE("forward normalises with the batch and infer with the running statistics") {
  for (const Shape& shape : kShapes)
    for (const auto& [relu, channels_last] : kForms) {
      CAPTURE(to_string(shape));
      CAPTURE(relu);
      CAPTURE(channels_last);
      BuiltNorm built(shape, relu, channels_last);
      std::vector<float> x = Random(1).normals(size_of(shape), 2.0);
      for (float& value : x) value += 1.0f;
      const Moments batch = moments(shape, x);
      CHECK_CLOSE(built.forward(x), normalised(shape, x, batch, built, relu), .rtol = 1e-4,
                  .atol = 1e-5);

      built.pass.statistics.update(*built.saved);
      const double n = static_cast<double>(x.size()) / static_cast<double>(shape.c);
      Moments running = batch;
      for (std::size_t c = 0; c < batch.mean.size(); ++c) {
        running.mean[c] = 0.1 * batch.mean[c];
        running.var[c] = 0.9 + 0.1 * batch.var[c] * n / (n - 1.0);
      }
      nn::ParameterSet& parameters = built.model.parameters();
      CHECK_CLOSE(parameters.read(built.norm.running_mean()), running.mean, .rtol = 1e-5);
      CHECK_CLOSE(parameters.read(built.norm.running_var()), running.var, .rtol = 1e-5);

      const auto src = to_layout(x, built.desc);
      const auto dst = make_tensor(built.desc);
      built.norm.infer(built.desc, src, dst);
      CHECK_CLOSE(from_layout(dst, built.desc), normalised(shape, x, running, built, relu),
                  .rtol = 1e-4, .atol = 1e-5);
      CHECK_CLOSE(parameters.read(built.norm.running_mean()), running.mean, .rtol = 1e-5);
    }
}

TEST_CASE("backward matches finite differences in input, weight and bias") {
  for (const Shape& shape : kShapes)
    for (const auto& [relu, channels_last] : kForms) {
      CAPTURE(to_string(shape));
      CAPTURE(relu);
      CAPTURE(channels_last);
      BuiltNorm built(shape, relu, channels_last);
      const std::vector<float> x = Random(2).normals(size_of(shape));
      const std::vector<float> dy = Random(3).normals(size_of(shape));
      built.forward(x);
      const auto src = to_layout(x, built.desc);
      const auto diff = to_layout(dy, built.desc);
      built.norm.backward(src, diff, diff, built.norm_saved());
      const auto loss = [&](const auto& at) { return inner(built.forward(at), dy); };
      // Many values lie near the kink of a channel's ReLU, so the step is small.
      const GradientCheck check{.step = 1e-3};
      CHECK_EQ(gradient_difference(x, from_layout(diff, built.desc), loss, check), "");
      for (const nn::Parameter* parameter : {&built.norm.weight(), &built.norm.bias()}) {
        CAPTURE(parameter->name);
        nn::ParameterSet& parameters = built.model.parameters();
        const std::vector<float> start = parameters.read(*parameter);
        CHECK_EQ(gradient_difference(
                     start, read_diff(built.model, *parameter),
                     [&](const auto& at) {
                       parameters.write(*parameter, at);
                       return inner(built.forward(x), dy);
                     },
                     check),
                 "");
        parameters.write(*parameter, start);
      }
    }
}

TEST_CASE("rejects a batch with one value a channel, which has no variance") {
  CHECK_THROWS_WITH_AS(BuiltNorm({1, 4, 1, 1}, false),
                       "[batch_norm] expected at least 2 values a channel to train with, got 1",
                       ShapeError);
}

TEST_SUITE_END();

}  // namespace opencd::test
