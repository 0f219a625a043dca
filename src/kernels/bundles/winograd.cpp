// The kernels of Winograd's convolution, which networks with few channels do without.
#include "kernels/device/winograd.hpp"
