#include "kernels/elementwise.hpp"

#include "kernels/check.hpp"
#include "kernels/device/elementwise.hpp"
#include "kernels/launch.hpp"

namespace opencd::kernels {

void fill(Device& device, View<float> dst, float value) {
  launch_elements(device, dst.size, Fill{dst.data, dst.size, value});
}

void copy(Device& device, View<const float> src, View<float> dst) {
  require_equal("copy", "elements", src.size, dst.size);
  launch_elements(device, dst.size, Copy{src.data, dst.data, dst.size});
}

void scale(Device& device, View<float> dst, float factor) {
  launch_elements(device, dst.size, Scale{dst.data, dst.size, factor});
}

void axpy(Device& device, float factor, View<const float> src, View<float> dst) {
  require_equal("axpy", "elements", src.size, dst.size);
  launch_elements(device, dst.size, Axpy{src.data, dst.data, dst.size, factor});
}

void add(Device& device, View<const float> left, View<const float> right, View<float> dst) {
  require_equal("add", "elements", left.size, right.size);
  require_equal("add", "elements", left.size, dst.size);
  launch_elements(device, dst.size, Add{left.data, right.data, dst.data, dst.size});
}

void relu(Device& device, View<const float> src, View<float> dst) {
  require_equal("relu", "elements", src.size, dst.size);
  launch_elements(device, dst.size, Relu{src.data, dst.data, dst.size});
}

void gelu(Device& device, View<const float> src, View<float> dst) {
  require_equal("gelu", "elements", src.size, dst.size);
  launch_elements(device, dst.size, Gelu{src.data, dst.data, dst.size});
}

void gelu_backward(Device& device,
                   View<const float> src,
                   View<const float> diff_dst,
                   View<float> diff_src) {
  require_equal("gelu_backward", "elements", src.size, diff_dst.size);
  require_equal("gelu_backward", "elements", src.size, diff_src.size);
  launch_elements(device, src.size, GeluBackward{src.data, diff_dst.data, diff_src.data, src.size});
}

void add_relu(Device& device, View<const float> left, View<const float> right, View<float> dst) {
  require_equal("add_relu", "elements", left.size, right.size);
  require_equal("add_relu", "elements", left.size, dst.size);
  launch_elements(device, dst.size, AddRelu{left.data, right.data, dst.data, dst.size});
}

void relu_backward(Device& device,
                   View<const float> dst,
                   View<const float> diff_dst,
                   View<float> diff_src) {
  require_equal("relu_backward", "elements", dst.size, diff_dst.size);
  require_equal("relu_backward", "elements", dst.size, diff_src.size);
  launch_elements(device, dst.size, ReluBackward{dst.data, diff_dst.data, diff_src.data, dst.size});
}

void add_relu_backward(Device& device,
                       View<const float> dst,
                       View<const float> left,
                       View<const float> right,
                       View<float> diff_src) {
  require_equal("add_relu_backward", "elements", dst.size, left.size);
  require_equal("add_relu_backward", "elements", dst.size, right.size);
  require_equal("add_relu_backward", "elements", dst.size, diff_src.size);
  launch_elements(device, dst.size,
                  AddReluBackward{dst.data, left.data, right.data, diff_src.data, dst.size});
}

void leaky_relu(Device& device, View<const float> src, View<float> dst, float slope) {
  require_equal("leaky_relu", "elements", src.size, dst.size);
  launch_elements(device, dst.size, LeakyRelu{src.data, dst.data, dst.size, slope});
}

void leaky_relu_backward(Device& device,
                         View<const float> dst,
                         View<const float> diff_dst,
                         View<float> diff_src,
                         float slope) {
  require_equal("leaky_relu_backward", "elements", dst.size, diff_dst.size);
  require_equal("leaky_relu_backward", "elements", dst.size, diff_src.size);
  launch_elements(device, dst.size,
                  LeakyReluBackward{dst.data, diff_dst.data, diff_src.data, dst.size, slope});
}

}  // namespace opencd::kernels
