// 3x3 convolution of stride 1 by Winograd's F(4x4, 3x3): our kernels take pictures and filters to 36
// points, oneDNN multiplies the matrices there, and our kernels come back (device/winograd.hpp).
// A quarter of the multiplications; what it costs instead is memory traffic, 2.25 floats a point
// and pixel. Batches go through in chunks, so that this traffic stays near the caches and the
// temporaries small.
#pragma once

#include "kernels/winograd.hpp"
#include "nn/layer.hpp"

namespace opencd::nn {

struct Conv2dConfig;

class WinogradConv {
 public:
  /// Whether it is the faster way, by the sizes and the device alone.
  static bool suits(const Model& model, const Conv2dConfig& config);
  /// Layout of its weights: pairs of channels innermost. Its tensors have channels_last_desc.
  static Desc weights_desc(const Conv2dConfig& config);
  /// Floats that the weights take at the points.
  static std::size_t filter_floats(const Conv2dConfig& config);

  WinogradConv(Model& model, const Conv2dConfig& config, const Shape& src, Use use);

  /// `filters`: those of winograd_weights, which may be kept while the weights stay the same.
  void forward(View<const float> src,
               View<const float> filters,
               View<float> dst,
               const kernels::WinogradFinish& finish = {}) const;
  /// The same with filters made on the way.
  void forward_from_weights(View<const float> src,
                            View<const float> weights,
                            View<float> dst) const;
  void backward_data(View<const float> diff_dst,
                     View<const float> weights,
                     View<float> diff_src) const;
  void backward_weights(View<const float> src,
                        View<const float> diff_dst,
                        View<float> diff_weights) const;

 private:
  /// The 36 products of two matrices.
  struct Product {
    Desc left;
    Desc right;
    Desc dst;
    Operation operation;
  };
  /// Consecutive pictures that go through together.
  struct Chunk {
    std::size_t first = 0;
    std::size_t count = 0;
    Product forward;
    Product weights;
    Product data;
  };
  void build(Chunk& chunk, Use use);
  Product product(
      const char* name, const Desc& left, const Desc& right, const Desc& dst, bool add = false);
  void multiply(const Product& product,
                View<const float> left,
                View<const float> right,
                View<float> dst) const;
  /// One chunk of a tensor with `channels` channels, and its memory at the points.
  kernels::NhwcShape pictures(const Chunk& chunk, std::size_t channels) const;
  template <class T>
  View<T> slice(View<T> view, const Chunk& chunk, std::size_t channels) const;
  View<float> take_points(const Chunk& chunk, std::size_t channels) const;

  Model& model_;
  kernels::NhwcShape src_;
  std::size_t out_channels_;
  std::size_t filter_floats_;
  std::vector<Chunk> chunks_;
};

}  // namespace opencd::nn
