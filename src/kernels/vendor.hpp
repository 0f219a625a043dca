// Everything that differs between vendors and kinds of device. No other file branches on them.
#pragma once

#include "kernels/device.hpp"

#include <sycl/sycl.hpp>

namespace opencd::kernels {

/// How the program treats one kind of device.
struct VendorTraits {
  LayoutPolicy layout = LayoutPolicy::any;
  bool winograd = false;          // our own 3x3 convolutions beat the library's
  bool onemkl = false;            // oneMKL's binaries serve it
  bool drain_on_switch = false;   // wait between library work and our kernels
  int element_group = 256;        // work-group of element-wise kernels
  int branching_group = 256;      // of element-wise kernels whose items part ways
  int row_group_min = 64;         // work-group of row-wise kernels, from here ...
  int row_group_max = 256;        // ... to here, by the length of the row
  std::size_t item_row_max = 64;  // longest row that one item may well read by itself
};

VendorTraits vendor_traits(const sycl::device& device);

/// Empty when this build can train on the device, else the reason why not and what to do.
std::string training_obstacle(const sycl::device& device);

/// Whether the hardware computes in bfloat16, rather than by way of f32.
bool has_bf16(const sycl::device& device);

/// Everything that machine code for the device depends on: its name and driver, and for CPUs the
/// instructions that they know, which the name does not always tell.
std::string machine_code_identity(const sycl::device& device);

/// "opencl:cpu", the part of a selector that names backend and type.
std::string backend_and_type(const sycl::device& device);

/// All devices; the first call makes the drivers that come with the build visible to the runtime.
std::vector<sycl::device> sycl_devices();

}  // namespace opencd::kernels
