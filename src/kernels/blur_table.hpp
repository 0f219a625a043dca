// Gaussian kernels for every level of sigma that a blurred view can have, in fixed point.
#pragma once

#include <cstdint>
#include <vector>

namespace opencd::kernels {

/// sigma of a level, from `low` at level 0 to `high` at the last one.
double blur_sigma(int level, double low, double high);

/// For every level the weights of distances 0 .. size / 2 in units of 2^-16: torchvision's kernel,
/// exp(-d^2 / (2 sigma^2)) over its sum. A kernel sums to 2^16; the centre takes what rounding left.
std::vector<std::uint32_t> make_blur_table(int size, double low, double high);

}  // namespace opencd::kernels
