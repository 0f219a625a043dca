// Element-wise kernels: one item an element, the whole body under one guard, which is the form that
// CPU drivers vectorise.
//   fill  y = a            copy  y = x            scale  y = a y            axpy  y = y + a x
//   add   z = x + y        relu  y = max(x, 0)    add_relu  z = max(x + y, 0), NaN staying NaN
//   relu backward          dx = dy where the output was positive, else 0; for add_relu the gradient
//                          of both inputs
//   add_relu backward      the same of a gradient that comes in two parts: dx = da + db or 0
//   leaky_relu  y = x where it is positive, else a x; backward dx = dy or a dy, by the sign of y
//   gelu  y = x Phi(x)     dx = dy (Phi(x) + x phi(x)), Phi and phi of the standard normal
// All assign their output except scale and axpy, which update it in place.
#pragma once

#include "kernels/device/row_loop.hpp"

namespace opencd::kernels {

struct Fill {
  float* dst;
  std::size_t count;
  float value;
  void operator()(sycl::nd_item<1> item) const {
    const std::size_t i = element_of(item);
    if (i < count) dst[i] = value;
  }
};
OPENCD_KERNEL(Fill, 1)

struct Copy {
  const float* src;
  float* dst;
  std::size_t count;
  void operator()(sycl::nd_item<1> item) const {
    const std::size_t i = element_of(item);
    if (i < count) dst[i] = src[i];
  }
};
OPENCD_KERNEL(Copy, 1)

struct Scale {
  float* dst;
  std::size_t count;
  float factor;
  void operator()(sycl::nd_item<1> item) const {
    const std::size_t i = element_of(item);
    if (i < count) dst[i] *= factor;
  }
};
OPENCD_KERNEL(Scale, 1)

struct Axpy {
  const float* src;
  float* dst;
  std::size_t count;
  float factor;
  void operator()(sycl::nd_item<1> item) const {
    const std::size_t i = element_of(item);
    if (i < count) dst[i] += factor * src[i];
  }
};
OPENCD_KERNEL(Axpy, 1)

struct Add {
  const float* left;
  const float* right;
  float* dst;
  std::size_t count;
  void operator()(sycl::nd_item<1> item) const {
    const std::size_t i = element_of(item);
    if (i < count) dst[i] = left[i] + right[i];
  }
};
OPENCD_KERNEL(Add, 1)

struct Relu {
  const float* src;
  float* dst;
  std::size_t count;
  void operator()(sycl::nd_item<1> item) const {
    const std::size_t i = element_of(item);
    if (i < count) dst[i] = src[i] < 0.0f ? 0.0f : src[i];
  }
};
OPENCD_KERNEL(Relu, 1)

struct AddRelu {
  const float* left;
  const float* right;
  float* dst;
  std::size_t count;
  void operator()(sycl::nd_item<1> item) const {
    const std::size_t i = element_of(item);
    if (i < count) {
      const float sum = left[i] + right[i];
      dst[i] = sum < 0.0f ? 0.0f : sum;
    }
  }
};
OPENCD_KERNEL(AddRelu, 1)

/// Phi(x), as the error function gives it.
inline float normal_share(float x) { return 0.5f * (1.0f + sycl::erf(x * 0.70710678f)); }

struct Gelu {
  const float* src;
  float* dst;
  std::size_t count;
  void operator()(sycl::nd_item<1> item) const {
    const std::size_t i = element_of(item);
    if (i < count) dst[i] = src[i] * normal_share(src[i]);
  }
};
OPENCD_KERNEL(Gelu, 1)

struct GeluBackward {
  const float* src;
  const float* diff_dst;
  float* diff_src;
  std::size_t count;
  void operator()(sycl::nd_item<1> item) const {
    const std::size_t i = element_of(item);
    if (i < count) {
      const float x = src[i];
      const float density = 0.39894228f * sycl::exp(-0.5f * x * x);
      diff_src[i] = diff_dst[i] * (normal_share(x) + x * density);
    }
  }
};
OPENCD_KERNEL(GeluBackward, 1)

struct ReluBackward {
  const float* dst;
  const float* diff_dst;
  float* diff_src;
  std::size_t count;
  void operator()(sycl::nd_item<1> item) const {
    const std::size_t i = element_of(item);
    if (i < count) diff_src[i] = dst[i] > 0.0f ? diff_dst[i] : 0.0f;
  }
};
OPENCD_KERNEL(ReluBackward, 1)

struct AddReluBackward {
  const float* dst;
  const float* left;
  const float* right;
  float* diff_src;
  std::size_t count;
  void operator()(sycl::nd_item<1> item) const {
    const std::size_t i = element_of(item);
    if (i < count) diff_src[i] = dst[i] > 0.0f ? left[i] + right[i] : 0.0f;
  }
};
OPENCD_KERNEL(AddReluBackward, 1)

struct LeakyRelu {
  const float* src;
  float* dst;
  std::size_t count;
  float slope;
  void operator()(sycl::nd_item<1> item) const {
    const std::size_t i = element_of(item);
    if (i < count) dst[i] = src[i] > 0.0f ? src[i] : slope * src[i];
  }
};
OPENCD_KERNEL(LeakyRelu, 1)

struct LeakyReluBackward {
  const float* dst;
  const float* diff_dst;
  float* diff_src;
  std::size_t count;
  float slope;
  void operator()(sycl::nd_item<1> item) const {
    const std::size_t i = element_of(item);
    if (i < count) diff_src[i] = dst[i] > 0.0f ? diff_dst[i] : slope * diff_dst[i];
  }
};
OPENCD_KERNEL(LeakyReluBackward, 1)

}  // namespace opencd::kernels
