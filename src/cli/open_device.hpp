// The device that a verb runs on.
#pragma once

#include "cli/options.hpp"
#include "kernels/device.hpp"

#include <memory>

namespace opencd::cli {

/// Opens the device that the options ask for and logs which one it is. With `profile` the device
/// keeps the time of every kernel.
std::unique_ptr<kernels::Device> open_device(const CommonOptions& options, bool profile = false);

}  // namespace opencd::cli
