// Shapes of pictures and features, and how they lie in memory for oneDNN.
#pragma once

#include "error.hpp"

#include <dnnl.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace opencd::nn {

/// A memory layout: dimensions, data type and the order of elements, padding included.
using Desc = dnnl::memory::desc;
using Dims = dnnl::memory::dims;

/// A batch of `n` pictures (or of features, with h = w = 1).
struct Shape {
  std::int64_t n = 0;
  std::int64_t c = 0;
  std::int64_t h = 1;
  std::int64_t w = 1;

  bool operator==(const Shape&) const = default;
  std::int64_t size() const { return n * c * h * w; }
  Dims dims() const { return {n, c, h, w}; }
};

inline Shape shape_of(const Desc& desc) {
  const Dims dims = desc.get_dims();
  return {dims.at(0), dims.at(1), dims.size() > 2 ? dims[2] : 1, dims.size() > 3 ? dims[3] : 1};
}

inline std::string to_string(const Shape& shape) {
  return fmt::format("{} x {} x {} x {}", shape.n, shape.c, shape.h, shape.w);
}

/// f32 without gaps, the last dimension fastest: the order of PyTorch and of weight files.
inline Desc plain_desc(const Dims& dims) {
  Dims strides(dims.size(), 1);
  for (std::size_t d = dims.size(); d-- > 1;) strides[d - 1] = strides[d] * dims[d];
  return Desc(dims, dnnl::memory::data_type::f32, strides);
}

/// f32 without gaps, the channels of a pixel side by side.
inline Desc channels_last_desc(const Shape& shape) {
  return {shape.dims(), dnnl::memory::data_type::f32, dnnl::memory::format_tag::nhwc};
}

/// A layout that the primitive chooses.
inline Desc any_desc(const Dims& dims) {
  return Desc(dims, dnnl::memory::data_type::f32, dnnl::memory::format_tag::any);
}

/// Floats that a tensor takes, padding included.
inline std::size_t floats_of(const Desc& desc) { return desc.get_size() / sizeof(float); }

}  // namespace opencd::nn
