// Element-wise operations on device memory. Outputs may be one of the inputs.
#pragma once

#include "kernels/memory.hpp"

namespace opencd::kernels {

void fill(Device& device, View<float> dst, float value);
void copy(Device& device, View<const float> src, View<float> dst);
/// dst = factor * dst
void scale(Device& device, View<float> dst, float factor);
/// dst = dst + factor * src
void axpy(Device& device, float factor, View<const float> src, View<float> dst);
void add(Device& device, View<const float> left, View<const float> right, View<float> dst);
void relu(Device& device, View<const float> src, View<float> dst);
/// dst = src Phi(src), Phi the distribution function of the standard normal
void gelu(Device& device, View<const float> src, View<float> dst);
/// From the input of gelu, unlike relu_backward.
void gelu_backward(Device& device,
                   View<const float> src,
                   View<const float> diff_dst,
                   View<float> diff_src);
/// dst = max(left + right, 0)
void add_relu(Device& device, View<const float> left, View<const float> right, View<float> dst);
/// From the output of relu or add_relu; for add_relu the gradient of both inputs.
void relu_backward(Device& device,
                   View<const float> dst,
                   View<const float> diff_dst,
                   View<float> diff_src);
/// The same for a gradient that comes in two parts: left + right where the output was positive.
void add_relu_backward(Device& device,
                       View<const float> dst,
                       View<const float> left,
                       View<const float> right,
                       View<float> diff_src);
/// dst = src where it is positive, else slope * src; slope is positive.
void leaky_relu(Device& device, View<const float> src, View<float> dst, float slope);
/// From the output of leaky_relu, which has the sign of its input.
void leaky_relu_backward(Device& device,
                         View<const float> dst,
                         View<const float> diff_dst,
                         View<float> diff_src,
                         float slope);

}  // namespace opencd::kernels
