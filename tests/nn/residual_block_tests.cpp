#include "nn/residual_block.hpp"

#include "kernels/elementwise.hpp"
#include "nn/layers.hpp"

namespace opencd::test {

namespace {

using nn::BlockKind;
using nn::ResidualBlock;
using nn::ResidualBlockConfig;
using nn::Shape;
using nn::ShortcutKind;

/// A block with all that a network would give it.
struct BuiltBlock {
  BuiltBlock(const Shape& src, const ResidualBlockConfig& config)
      : model(test_engine()),
        // The layout that a convolution before it would leave.
        before(model,
               "before",
               {.in_channels = 3, .out_channels = src.c},
               nn::plain_desc({src.n, 3, src.h, src.w}),
               nn::Use::forward_only),
        pass(model),
        block(model, pass, "block", config, before.dst_desc(), nn::Use::train) {
    pass.statistics.reserve(pass.saved);
    floats = nn::floats_of(before.dst_desc());
    for (const nn::ConvNorm& unit : block.main())
      floats = std::max(floats, nn::floats_of(unit.dst_desc()));
    model.reserve_temporaries(nn::TemporaryPool::bytes(3, floats));
    model.allocate();
    initialise(model.parameters(), 11);
  }
  std::vector<float> forward(const std::vector<float>& x, const nn::Saved& saved) {
    const nn::Scratch::Frame frame(model.scratch());
    nn::TemporaryPool pool(model.scratch(), 3, floats);
    const auto src = to_layout(x, before.dst_desc());
    block.forward(src, saved, pool);
    const kernels::Buffer<float> dst = make_tensor(block.dst_desc());
    nn::reorder(test_engine(), block.dst_desc(), block.dst(saved), block.dst_desc(), dst);
    return from_layout(dst, block.dst_desc());
  }
  std::vector<float> backward(const std::vector<float>& x,
                              const std::vector<float>& dy,
                              const nn::Saved& saved) {
    const nn::Scratch::Frame frame(model.scratch());
    nn::TemporaryPool pool(model.scratch(), 3, floats);
    const auto src = to_layout(x, before.dst_desc());
    const nn::SplitGradient diff_dst{pool.take(block.dst_desc()), {}};
    const auto staged = to_layout(dy, block.dst_desc());
    nn::reorder(test_engine(), block.dst_desc(), staged, block.dst_desc(), diff_dst.main);
    const nn::SplitGradient diff_src = block.backward(src, diff_dst, saved, pool);
    const kernels::Buffer<float> sum = make_tensor(before.dst_desc());
    kernels::add(test_device(), diff_src.main, diff_src.shortcut, sum);
    return from_layout(sum, before.dst_desc());
  }

  nn::Model model;
  nn::Conv2d before;
  nn::PassLayout pass;
  ResidualBlock block;
  std::size_t floats = 0;
};

}  // namespace

TEST_SUITE_BEGIN("nn/residual_block");

TEST_CASE("gradients of every kind of block match finite differences") {
  const Shape src{4, 16, 6, 6};
  for (const ResidualBlockConfig& config :
       {ResidualBlockConfig{.in_channels = 16, .channels = 16},
        ResidualBlockConfig{.in_channels = 16, .channels = 32, .stride = 2},
        ResidualBlockConfig{
            .in_channels = 16, .channels = 32, .stride = 2, .shortcut = ShortcutKind::option_a},
        ResidualBlockConfig{.in_channels = 16, .channels = 4, .kind = BlockKind::bottleneck},
        ResidualBlockConfig{
            .in_channels = 16, .channels = 8, .stride = 2, .kind = BlockKind::bottleneck}}) {
    CAPTURE(config.channels);
    CAPTURE(config.stride);
    BuiltBlock built(src, config);
    const nn::Saved saved(test_device(), built.pass.saved);
    const std::vector<float> x = Random(1).normals(size_of(src));
    const std::vector<float> y = built.forward(x, saved);
    const std::vector<float> dy = Random(2).normals(y.size());
    const std::vector<float> dx = built.backward(x, dy, saved);
    const nn::Saved other(test_device(), built.pass.saved);
    const auto loss = [&](const auto& at) { return inner(built.forward(at, other), dy); };
    CHECK_EQ(gradient_difference(x, dx, loss, {.step = 5e-3, .tolerance = 2e-2}), "");
    for (const nn::ConvNorm& unit : built.block.main()) {
      nn::ParameterSet& parameters = built.model.parameters();
      const nn::Parameter& weights = unit.conv().weights();
      CAPTURE(weights.name);
      CHECK_EQ(gradient_difference(parameters.read(weights), read_diff(built.model, weights),
                                   [&](const auto& at) {
                                     parameters.write(weights, at);
                                     return inner(built.forward(x, other), dy);
                                   },
                                   {.step = 2e-3, .tolerance = 2e-2, .samples = 12}),
               "");
    }
  }
}

TEST_CASE("the output is the ReLU of main path and shortcut") {
  BuiltBlock built({2, 16, 4, 4}, {.in_channels = 16, .channels = 16});
  // Without weights the main path is its bias, zero, and the block the ReLU of its input.
  for (const nn::ConvNorm& unit : built.block.main())
    built.model.parameters().write(unit.norm().weight(), std::vector<float>(16, 0.0f));
  const nn::Saved saved(test_device(), built.pass.saved);
  const std::vector<float> x = Random(3).normals(2 * 16 * 4 * 4);
  std::vector<float> expected = x;
  for (float& value : expected) value = std::max(value, 0.0f);
  CHECK_EQ(built.forward(x, saved), expected);
}

TEST_SUITE_END();

}  // namespace opencd::test
