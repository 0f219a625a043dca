#include "bench/conv_cases.hpp"

#include "bench/reference.hpp"
#include "nn/conv2d.hpp"

#include <algorithm>
#include <memory>

namespace opencd::bench {

namespace {

using nn::Conv2dConfig;
using nn::Shape;

struct Geometry {
  Shape src;
  Conv2dConfig config;

  bool operator==(const Geometry& other) const {
    return src == other.src && config.out_channels == other.config.out_channels &&
           config.kernel == other.config.kernel && config.stride == other.config.stride;
  }
};

/// The convolutions of ResNet-18's kind: a stem, then two of 3x3 and a projection a stage.
std::vector<Geometry> geometries(const TrainOptions& train) {
  std::vector<Geometry> list;
  Shape x{train.batch, 3, train.crop, train.crop};
  const auto add = [&](const Conv2dConfig& config) {
    const Geometry geometry{x, config};
    if (std::find(list.begin(), list.end(), geometry) == list.end()) list.push_back(geometry);
    return config.output_shape(x);
  };
  x = add({.in_channels = 3, .out_channels = train.width});
  for (std::int64_t stage = 0; stage < 4; ++stage) {
    const std::int64_t channels = train.width << stage;
    const std::int64_t stride = stage == 0 ? 1 : 2;
    if (stage > 0)
      add({.in_channels = x.c, .out_channels = channels, .kernel = 1, .stride = stride});
    x = add({.in_channels = x.c, .out_channels = channels, .stride = stride});
    x = add({.in_channels = x.c, .out_channels = channels});
  }
  return list;
}

/// A convolution with memory for all of its tensors.
struct Bound {
  Bound(const nn::Engine& engine, const Geometry& geometry)
      : model(engine),
        before(model,
               "before",
               {.in_channels = 3, .out_channels = geometry.src.c},
               nn::plain_desc({geometry.src.n, 3, geometry.src.h, geometry.src.w}),
               nn::Use::forward_only),
        conv(model,
             "conv",
             geometry.config,
             geometry.src.c == 3 ? nn::plain_desc(geometry.src.dims()) : before.dst_desc(),
             geometry.src.c == 3 ? nn::Use::train_first : nn::Use::train) {
    model.allocate();
    initialise(model.parameters(), 1);
    src = kernels::to_device(engine.device(), random_values(nn::floats_of(conv.src_desc()), 1));
    dst = kernels::Buffer<float>(engine.device(), nn::floats_of(conv.dst_desc()));
  }

  nn::Model model;
  nn::Conv2d before;  // leaves the layout that conv then takes
  nn::Conv2d conv;
  kernels::Buffer<float> src, dst;
};

}  // namespace

std::vector<Case> conv_cases(const nn::Engine& engine, const TrainOptions& train) {
  std::vector<Case> cases;
  for (const Geometry& geometry : geometries(train)) {
    const auto bound = std::make_shared<Bound>(engine, geometry);
    const Shape dst = geometry.config.output_shape(geometry.src);
    const double flops = 2.0 * static_cast<double>(dst.size()) *
                         static_cast<double>(geometry.config.in_channels * geometry.config.kernel *
                                             geometry.config.kernel);
    const auto add = [&](const char* name, const std::function<void()>& run) {
      Case result;
      result.name = name;
      result.params = {{"n", geometry.src.n},
                       {"in", geometry.src.c},
                       {"out", geometry.config.out_channels},
                       {"size", geometry.src.h},
                       {"kernel", geometry.config.kernel},
                       {"stride", geometry.config.stride}};
      result.work = flops;
      result.unit = "flop";
      result.run = run;
      // Values are checked by the gradient checks of nn/conv2d; here a run must end well.
      result.check = [&device = engine.device(), run] {
        run();
        device.wait();
        return std::string();
      };
      cases.push_back(std::move(result));
    };
    add("conv_forward", [bound] { bound->conv.forward(bound->src, bound->dst); });
    add("conv_backward_weights", [bound] { bound->conv.backward_weights(bound->src, bound->dst); });
    if (geometry.src.c != 3)
      add("conv_backward_data", [bound] { bound->conv.backward_data(bound->dst, bound->src); });
  }
  return cases;
}

}  // namespace opencd::bench
