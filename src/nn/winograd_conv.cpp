#include "nn/winograd_conv.hpp"

#include "nn/conv2d.hpp"

#include <algorithm>

namespace opencd::nn {

namespace {

constexpr auto kPoints = static_cast<std::int64_t>(kernels::kWinogradMatrices);

/// From so many channels on the matrix products are worth their detour through memory.
constexpr std::int64_t kLeastChannels = 32;

/// Temporaries of a chunk: small enough for the last level of the caches, large enough that waiting
/// between kernels and matrix products does not count.
constexpr std::size_t kChunkBytes = 8 << 20;

/// 36 row-major matrices, `plane` floats from one to the next, and the transposes of such.
Desc matrices(std::int64_t rows, std::int64_t columns, std::int64_t plane) {
  return {{kPoints, rows, columns}, dnnl::memory::data_type::f32, Dims{plane, columns, 1}};
}
Desc transposed(std::int64_t rows, std::int64_t columns, std::int64_t plane) {
  return {{kPoints, rows, columns}, dnnl::memory::data_type::f32, Dims{plane, 1, rows}};
}

}  // namespace

bool WinogradConv::suits(const Model& model, const Conv2dConfig& config) {
  return model.device().prefers_winograd() && config.kernel == 3 && config.stride == 1 &&
         !config.constant && std::min(config.in_channels, config.out_channels) >= kLeastChannels;
}

Desc WinogradConv::weights_desc(const Conv2dConfig& config) {
  return {config.weight_dims(), dnnl::memory::data_type::f32, dnnl::memory::format_tag::hwio};
}

std::size_t WinogradConv::filter_floats(const Conv2dConfig& config) {
  return kernels::kWinogradMatrices *
         static_cast<std::size_t>(config.in_channels * config.out_channels);
}

WinogradConv::WinogradConv(Model& model, const Conv2dConfig& config, const Shape& src, Use use)
    : model_(model),
      src_{static_cast<std::size_t>(src.n), static_cast<std::size_t>(src.h),
           static_cast<std::size_t>(src.w), static_cast<std::size_t>(src.c)},
      out_channels_(static_cast<std::size_t>(config.out_channels)),
      filter_floats_(filter_floats(config)) {
  const std::size_t picture_bytes =
      kernels::kWinogradMatrices * src_.tiles() * (src_.channels + out_channels_) * sizeof(float);
  const std::size_t most = std::clamp(kChunkBytes / picture_bytes, std::size_t{1}, src_.count);
  const std::size_t chunks = (src_.count + most - 1) / most;
  const std::size_t size = (src_.count + chunks - 1) / chunks;
  for (std::size_t first = 0; first < src_.count; first += size) {
    Chunk& chunk = chunks_.emplace_back();
    chunk.first = first;
    chunk.count = std::min(size, src_.count - first);
    build(chunk, use);
  }
}

void WinogradConv::build(Chunk& chunk, Use use) {
  const auto in = static_cast<std::int64_t>(src_.channels);
  const auto out = static_cast<std::int64_t>(out_channels_);
  const auto tiles = static_cast<std::int64_t>(chunk.count * src_.tiles());
  const auto in_plane = static_cast<std::int64_t>(pictures(chunk, src_.channels).plane());
  const auto out_plane = static_cast<std::int64_t>(pictures(chunk, out_channels_).plane());
  const Desc filters = matrices(in, out, in * out);
  const Desc inputs = matrices(tiles, in, in_plane);
  const Desc outputs = matrices(tiles, out, out_plane);
  chunk.forward = product("winograd forward", inputs, filters, outputs);
  if (is_trained(use))
    chunk.weights = product("winograd backward weights", transposed(in, tiles, in_plane), outputs,
                            filters, /*add=*/chunk.first != 0);
  if (use == Use::train)
    chunk.data = product("winograd backward data", outputs, transposed(out, in, in * out), inputs);
  std::size_t scratchpad = 0;
  for (const Product* product : {&chunk.forward, &chunk.weights, &chunk.data})
    scratchpad = std::max(scratchpad, product->operation.scratchpad.get_size());
  const auto bytes = [](std::size_t floats) { return Scratch::aligned(floats * sizeof(float)); };
  model_.reserve_operation(Scratch::aligned(scratchpad) + bytes(filter_floats_) +
                           bytes(pictures(chunk, src_.channels).winograd_size()) +
                           bytes(pictures(chunk, out_channels_).winograd_size()));
}

WinogradConv::Product WinogradConv::product(
    const char* name, const Desc& left, const Desc& right, const Desc& dst, bool add) {
  dnnl::post_ops post;
  if (add) post.append_sum(1.0f);
  dnnl::primitive_attr attributes = model_.attributes();
  attributes.set_post_ops(post);
  return {
      left, right, dst,
      model_.operation<dnnl::matmul>(name, {model_.engine().dnnl(), left, right, dst, attributes})};
}

void WinogradConv::multiply(const Product& product,
                            View<const float> left,
                            View<const float> right,
                            View<float> dst) const {
  model_.execute(product.operation, {{DNNL_ARG_SRC, model_.wrap(product.left, left.data)},
                                     {DNNL_ARG_WEIGHTS, model_.wrap(product.right, right.data)},
                                     {DNNL_ARG_DST, model_.wrap(product.dst, dst.data)}});
}

kernels::NhwcShape WinogradConv::pictures(const Chunk& chunk, std::size_t channels) const {
  return {chunk.count, src_.height, src_.width, channels};
}

template <class T>
View<T> WinogradConv::slice(View<T> view, const Chunk& chunk, std::size_t channels) const {
  const std::size_t picture = src_.height * src_.width * channels;
  return view.slice(chunk.first * picture, chunk.count * picture);
}

View<float> WinogradConv::take_points(const Chunk& chunk, std::size_t channels) const {
  return model_.scratch().take<float>(pictures(chunk, channels).winograd_size());
}

void WinogradConv::forward(View<const float> src,
                           View<const float> filters,
                           View<float> dst,
                           const kernels::WinogradFinish& finish) const {
  Device& device = model_.device();
  for (const Chunk& chunk : chunks_) {
    const Scratch::Frame frame(model_.scratch());
    const View<float> tiles = take_points(chunk, src_.channels);
    const View<float> outputs = take_points(chunk, out_channels_);
    kernels::winograd_src(device, pictures(chunk, src_.channels), slice(src, chunk, src_.channels),
                          tiles);
    multiply(chunk.forward, tiles, filters, outputs);
    kernels::winograd_dst(device, pictures(chunk, out_channels_), outputs,
                          slice(dst, chunk, out_channels_), finish);
  }
}

void WinogradConv::forward_from_weights(View<const float> src,
                                        View<const float> weights,
                                        View<float> dst) const {
  const Scratch::Frame frame(model_.scratch());
  const auto filters = model_.scratch().take<float>(filter_floats_);
  kernels::winograd_weights(model_.device(), weights, filters, /*turned=*/false);
  forward(src, filters, dst);
}

void WinogradConv::backward_data(View<const float> diff_dst,
                                 View<const float> weights,
                                 View<float> diff_src) const {
  Device& device = model_.device();
  const Scratch::Frame frame(model_.scratch());
  const auto filters = model_.scratch().take<float>(filter_floats_);
  kernels::winograd_weights(device, weights, filters, /*turned=*/true);
  for (const Chunk& chunk : chunks_) {
    const Scratch::Frame chunk_frame(model_.scratch());
    const View<float> tiles = take_points(chunk, out_channels_);
    const View<float> outputs = take_points(chunk, src_.channels);
    kernels::winograd_src(device, pictures(chunk, out_channels_),
                          slice(diff_dst, chunk, out_channels_), tiles);
    multiply(chunk.data, tiles, filters, outputs);
    kernels::winograd_dst(device, pictures(chunk, src_.channels), outputs,
                          slice(diff_src, chunk, src_.channels));
  }
}

void WinogradConv::backward_weights(View<const float> src,
                                    View<const float> diff_dst,
                                    View<float> diff_weights) const {
  Device& device = model_.device();
  const Scratch::Frame frame(model_.scratch());
  const auto diff_filters = model_.scratch().take<float>(filter_floats_);
  for (const Chunk& chunk : chunks_) {
    const Scratch::Frame chunk_frame(model_.scratch());
    const View<float> tiles = take_points(chunk, src_.channels);
    const View<float> diffs = take_points(chunk, out_channels_);
    kernels::winograd_src(device, pictures(chunk, src_.channels), slice(src, chunk, src_.channels),
                          tiles);
    kernels::winograd_diff_dst(device, pictures(chunk, out_channels_),
                               slice(diff_dst, chunk, out_channels_), diffs);
    multiply(chunk.weights, tiles, diffs, diff_filters);
  }
  kernels::winograd_diff_weights(device, diff_filters, diff_weights);
}

}  // namespace opencd::nn
