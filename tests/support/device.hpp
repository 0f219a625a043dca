// The device that tests run on, made on first use and shared by all cases of a binary.
#pragma once

#include "kernels/device.hpp"

namespace opencd::test {

kernels::Device& test_device();

}  // namespace opencd::test
