#include "nn/conv2d.hpp"

#include "error.hpp"
#include "nn/layers.hpp"

namespace opencd::test {

namespace {

using nn::Conv2d;
using nn::Conv2dConfig;
using nn::Shape;

struct Case {
  Shape src;
  Conv2dConfig config;
};

/// Kernel sizes, strides and channel counts of the networks, and some that fit no vector.
std::vector<Case> cases() {
  return {{{2, 3, 8, 8}, {.in_channels = 3, .out_channels = 16}},
          {{2, 16, 7, 7}, {.in_channels = 16, .out_channels = 32, .stride = 2}},
          {{3, 16, 8, 8}, {.in_channels = 16, .out_channels = 32, .kernel = 1, .stride = 2}},
          {{24, 4, 12, 12}, {.in_channels = 4, .out_channels = 8, .kernel = 1, .stride = 2}},
          {{24, 5, 7, 7}, {.in_channels = 5, .out_channels = 7, .kernel = 1, .stride = 2}},
          {{2, 3, 15, 15}, {.in_channels = 3, .out_channels = 8, .kernel = 7, .stride = 2}},
          {{2, 5, 6, 9}, {.in_channels = 5, .out_channels = 7}},
          {{1, 24, 1, 1}, {.in_channels = 24, .out_channels = 12, .kernel = 1}},
          // From 64 channels on by Winograd's algorithm, in chunks if the batch is large.
          {{2, 64, 7, 7}, {.in_channels = 64, .out_channels = 64}},
          {{1, 80, 1, 5}, {.in_channels = 80, .out_channels = 65}},
          {{15, 64, 32, 32}, {.in_channels = 64, .out_channels = 64}}};
}

std::vector<double> reference(const Case& c,
                              const std::vector<float>& x,
                              const std::vector<float>& weights) {
  const Shape dst = c.config.output_shape(c.src);
  const std::int64_t k = c.config.kernel;
  std::vector<double> y;
  for (std::int64_t n = 0; n < dst.n; ++n)
    for (std::int64_t o = 0; o < dst.c; ++o)
      for (std::int64_t i = 0; i < dst.h; ++i)
        for (std::int64_t j = 0; j < dst.w; ++j) {
          double sum = 0.0;
          for (std::int64_t ic = 0; ic < c.src.c; ++ic)
            for (std::int64_t a = 0; a < k; ++a)
              for (std::int64_t b = 0; b < k; ++b) {
                const std::int64_t row = i * c.config.stride + a - c.config.padding();
                const std::int64_t column = j * c.config.stride + b - c.config.padding();
                if (row < 0 || row >= c.src.h || column < 0 || column >= c.src.w) continue;
                const auto at = static_cast<std::size_t>(
                    ((n * c.src.c + ic) * c.src.h + row) * c.src.w + column);
                const auto w = static_cast<std::size_t>(((o * c.src.c + ic) * k + a) * k + b);
                sum += static_cast<double>(x[at]) * weights[w];
              }
          y.push_back(sum);
        }
  return y;
}

struct BuiltConv {
  explicit BuiltConv(const Case& c)
      : model(test_engine()),
        conv(model, "conv", c.config, nn::plain_desc(c.src.dims()), nn::Use::train) {
    model.allocate();
    initialise(model.parameters(), 1);
  }
  std::vector<float> forward(const std::vector<float>& x) {
    const auto src = to_layout(x, conv.src_desc());
    const auto dst = make_tensor(conv.dst_desc());
    conv.forward(src, dst);
    return from_layout(dst, conv.dst_desc());
  }

  nn::Model model;
  Conv2d conv;
};

}  // namespace

TEST_SUITE_BEGIN("nn/conv2d");

TEST_CASE("forward matches the double reference for every kernel, stride and channel count") {
  for (const Case& c : cases()) {
    CAPTURE(to_string(c.src));
    Random random(1);
    const std::vector<float> x = random.normals(size_of(c.src));
    BuiltConv built(c);
    const std::vector<float> weights = built.model.parameters().read(built.conv.weights());
    CHECK_CLOSE(built.forward(x), reference(c, x, weights), .rtol = 1e-5, .atol = 1e-5);
  }
}

TEST_CASE("backward matches finite differences in input and weights") {
  for (const Case& c : cases()) {
    CAPTURE(to_string(c.src));
    Random random(2);
    BuiltConv built(c);
    const Conv2d& conv = built.conv;
    nn::ParameterSet& parameters = built.model.parameters();
    const std::vector<float> x = random.normals(size_of(c.src));
    const std::vector<float> weights = parameters.read(conv.weights());
    const std::vector<float> dy = random.normals(size_of(c.config.output_shape(c.src)));

    const auto src = to_layout(x, conv.src_desc());
    const auto diff_dst = to_layout(dy, conv.dst_desc());
    const auto diff_src = make_tensor(conv.src_desc());
    conv.backward(src, diff_dst, diff_src);

    CHECK_EQ(gradient_difference(x, from_layout(diff_src, conv.src_desc()),
                                 [&](const auto& at) { return inner(built.forward(at), dy); }),
             "");
    CHECK_EQ(gradient_difference(weights, read_diff(built.model, conv.weights()),
                                 [&](const auto& at) {
                                   parameters.write(conv.weights(), at);
                                   return inner(built.forward(x), dy);
                                 }),
             "");
  }
}

TEST_CASE("constant weights copy every second pixel to the middle channels") {
  const Case c{{1, 2, 3, 3},
               {.in_channels = 2, .out_channels = 4, .kernel = 1, .stride = 2, .constant = true}};
  BuiltConv built(c);
  const std::vector<float> x = Random(3).normals(size_of(c.src));
  const std::vector<float> zeros(4, 0.0f);
  std::vector<float> expected = zeros;
  for (const std::size_t i : {0, 2, 6, 8, 9, 11, 15, 17}) expected.push_back(x[i]);
  expected.insert(expected.end(), zeros.begin(), zeros.end());
  CHECK_EQ(built.forward(x), expected);
  CHECK(built.model.parameters().all().empty());
}

TEST_CASE("a primitive of which no routine is right is refused by name") {
  const nn::Engine& engine = test_engine();
  const nn::Desc desc = nn::plain_desc({2, 8, 6, 6});
  const auto make = [&] {
    return dnnl::eltwise_forward::primitive_desc(engine.dnnl(), dnnl::prop_kind::forward_inference,
                                                 dnnl::algorithm::eltwise_relu, desc, desc, 0.0f);
  };
  const auto what = [] { return std::string("[conv2d] 3 x 3, 8 channels"); };
  auto first = make();
  const std::string name = first.impl_info_str();
  nn::skip_routines(first, [](const auto&) { return false; }, what);
  CHECK_EQ(first.impl_info_str(), name);
  auto second = make();
  nn::skip_routines(
      second, [&](const auto& routine) { return routine.impl_info_str() == name; }, what);
  CHECK(second.impl_info_str() != name);
  auto none = make();
  std::string message;
  try {
    nn::skip_routines(none, [](const auto&) { return true; }, what);
  } catch (const DeviceError& error) {
    message = error.what();
  }
  CHECK_EQ(message.rfind("[conv2d] 3 x 3, 8 channels: expected a routine of oneDNN", 0), 0);
  CHECK(message.find("known to be wrong here") != std::string::npos);
}

TEST_CASE("rejects an input with other channels or smaller than the kernel") {
  nn::Model model(test_engine());
  CHECK_THROWS_WITH_AS(Conv2d(model, "conv", {.in_channels = 4, .out_channels = 8},
                              nn::plain_desc({1, 3, 8, 8}), nn::Use::train),
                       "[conv2d] expected 4 input channels, got 3", ShapeError);
  BuiltConv built({{1, 3, 8, 8}, {.in_channels = 3, .out_channels = 8}});
  const auto small = make_tensor(nn::plain_desc({1, 3, 2, 2}));
  const auto dst = make_tensor(built.conv.dst_desc());
  CHECK_THROWS_AS(built.conv.forward(small, dst), ShapeError);
}

TEST_SUITE_END();

}  // namespace opencd::test
