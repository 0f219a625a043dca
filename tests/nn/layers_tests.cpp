// The small layers: pooling, linear, projection head.
#include "nn/layers.hpp"

#include "nn/linear.hpp"
#include "nn/pool2d.hpp"
#include "nn/projection_head.hpp"

namespace opencd::test {

namespace {

using kernels::Buffer;
using nn::Pool2d;
using nn::PoolKind;
using nn::Shape;

/// A pool with its input and output in the layouts that it wants.
struct BuiltPool {
  BuiltPool(const Shape& shape, const nn::Pool2dConfig& config)
      : model(test_engine()),
        src_desc(nn::plain_desc(shape.dims())),
        pool(model, config, src_desc, nn::Use::train),
        workspace(test_device(), pool.workspace_desc().get_size() / sizeof(float) + 1) {}
  std::vector<float> forward(const std::vector<float>& x) {
    const auto src = to_layout(x, src_desc);
    const auto dst = make_tensor(pool.dst_desc());
    pool.forward(src, dst, workspace);
    return from_layout(dst, pool.dst_desc());
  }

  nn::Model model;
  nn::Desc src_desc;
  Pool2d pool;
  Buffer<float> workspace;
};

/// A head for four rows and its parameters.
struct BuiltHead {
  explicit BuiltHead(bool batch_norm)
      : model(test_engine()),
        head(model,
             {.in_features = 6, .hidden = 20, .out_features = 5, .batch_norm = batch_norm},
             kRows) {
    model.allocate();
    initialise(model.parameters(), 3);
  }
  std::vector<float> forward(const std::vector<float>& x, const nn::Saved& saved) {
    const auto src = kernels::to_device(test_device(), x);
    const Buffer<float> dst(test_device(), kRows * 5);
    head.forward(src.rows(kRows, 6), dst.rows(kRows, 5), saved);
    return kernels::to_host(test_device(), dst);
  }

  static constexpr std::size_t kRows = 8;
  nn::Model model;
  nn::ProjectionHead head;
};

}  // namespace

TEST_SUITE_BEGIN("nn/layers");

TEST_CASE("max-pool takes the largest of its window and sends its gradient there") {
  BuiltPool built({1, 1, 4, 4},
                  {.kind = PoolKind::maximum, .kernel = 3, .stride = 2, .padding = 1});
  const std::vector<float> x = {1, 5, 2, 0, 3, 4, 8, 1, 0, 2, 6, 7, 9, 1, 3, 2};
  CHECK_EQ(built.forward(x), std::vector<float>{5, 8, 9, 8});
  const auto diff_dst = to_layout({10, 20, 30, 40}, built.pool.dst_desc());
  const auto diff_src = make_tensor(built.src_desc);
  built.pool.backward(diff_dst, diff_src, built.workspace);
  CHECK_EQ(from_layout(diff_src, built.src_desc),
           std::vector<float>{0, 10, 0, 0, 0, 0, 60, 0, 0, 0, 0, 0, 30, 0, 0, 0});
}

TEST_CASE("pooling gradients match finite differences") {
  const Shape shape{2, 17, 6, 6};
  for (const nn::Pool2dConfig& config :
       {nn::Pool2dConfig{.kind = PoolKind::maximum, .kernel = 3, .stride = 2, .padding = 1},
        nn::Pool2dConfig{.kind = PoolKind::average, .kernel = 2, .stride = 2},
        nn::Pool2dConfig{.kind = PoolKind::average}}) {
    BuiltPool built(shape, config);
    const std::vector<float> x = Random(1).normals(size_of(shape));
    const std::vector<float> dy = Random(2).normals(built.forward(x).size());
    const auto diff_dst = to_layout(dy, built.pool.dst_desc());
    const auto diff_src = make_tensor(built.src_desc);
    built.pool.backward(diff_dst, diff_src, built.workspace);
    CHECK_EQ(gradient_difference(x, from_layout(diff_src, built.src_desc),
                                 [&](const auto& at) { return inner(built.forward(at), dy); }),
             "");
  }
}

TEST_CASE("global average pool gives the mean of every channel as plain rows") {
  const Shape shape{3, 20, 5, 4};
  nn::Model model(test_engine());
  const nn::Desc desc = nn::plain_desc(shape.dims());
  const nn::GlobalAveragePool pool(model, desc, nn::Use::train);
  const std::vector<float> x = Random(4).normals(size_of(shape));
  std::vector<double> mean(60);
  for (std::size_t i = 0; i < x.size(); ++i) mean[i / 20] += x[i] / 20.0;
  const auto src = to_layout(x, desc);
  const Buffer<float> dst(test_device(), 60);
  pool.forward(src, dst.rows(3, 20));
  CHECK_CLOSE(kernels::to_host(test_device(), dst), mean, .rtol = 1e-5, .atol = 1e-6);

  const auto diff_src = make_tensor(desc);
  pool.backward(dst.rows(3, 20), diff_src);
  const std::vector<float> dx = from_layout(diff_src, desc);
  for (std::size_t i = 0; i < dx.size(); ++i)
    CHECK(dx[i] == doctest::Approx(mean[i / 20] / 20.0).epsilon(1e-4));
}

TEST_CASE("linear multiplies rows and adds the bias, for training and for any number of rows") {
  nn::Model model(test_engine());
  const nn::Linear linear(model, "fc", {.in_features = 3, .out_features = 2}, 2, nn::Use::train);
  model.allocate();
  model.parameters().write(*model.parameters().find("fc.weight"),
                           std::vector<float>{1, 2, 3, 4, 5, 6});
  model.parameters().write(*model.parameters().find("fc.bias"), std::vector<float>{10, 20});
  const auto src = kernels::to_device<float>(test_device(), {1, 0, 0, 1, 1, 1});
  const Buffer<float> dst(test_device(), 4);
  linear.forward(src.rows(2, 3), dst.rows(2, 2));
  CHECK_EQ(kernels::to_host(test_device(), dst), std::vector<float>{11, 24, 16, 35});
  const Buffer<float> one(test_device(), 2);
  linear.infer({src.data() + 3, 1, 3}, one.rows(1, 2));
  CHECK_EQ(kernels::to_host(test_device(), one), std::vector<float>{16, 35});
  CHECK_THROWS_AS(linear.forward({src.data(), 1, 3}, one.rows(1, 2)), ShapeError);
}

TEST_CASE("projection head gradients match finite differences with and without batch norm") {
  for (const bool batch_norm : {true, false}) {
    CAPTURE(batch_norm);
    BuiltHead built(batch_norm);
    const nn::Saved saved = built.head.make_saved();
    const std::vector<float> x = Random(5).normals(BuiltHead::kRows * 6);
    const std::vector<float> dy = Random(6).normals(BuiltHead::kRows * 5);
    built.forward(x, saved);
    const auto src = kernels::to_device(test_device(), x);
    const auto diff_dst = kernels::to_device(test_device(), dy);
    const Buffer<float> diff_src(test_device(), x.size());
    built.head.backward(src.rows(BuiltHead::kRows, 6), diff_dst.rows(BuiltHead::kRows, 5),
                        diff_src.rows(BuiltHead::kRows, 6), saved);
    CHECK_EQ(
        gradient_difference(x, kernels::to_host(test_device(), diff_src),
                            [&](const auto& at) { return inner(built.forward(at, saved), dy); },
                            {.step = 5e-3}),
        "");
    nn::ParameterSet& parameters = built.model.parameters();
    for (const nn::Parameter& parameter : parameters.all()) {
      if (parameter.role != nn::Role::trained) continue;
      // A bias before a batch norm has no gradient; only rounding is left to compare.
      if (batch_norm && parameter.name == "head.0.bias") continue;
      CAPTURE(parameter.name);
      const std::vector<float> start = parameters.read(parameter);
      CHECK_EQ(gradient_difference(start, parameters.read_grad(parameter),
                                   [&](const auto& at) {
                                     parameters.write(parameter, at);
                                     return inner(built.forward(x, saved), dy);
                                   },
                                   {.step = 5e-3}),
               "");
      parameters.write(parameter, start);
    }
  }
}

TEST_SUITE_END();

}  // namespace opencd::test
