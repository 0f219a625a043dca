// The kernels that the executable carries, linked for one device. Part of builds with a plain host
// compiler only: a SYCL compiler puts the kernels into the object files itself.
#pragma once

#include <sycl/sycl.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <unordered_map>

namespace opencd::kernels {

/// The SYCLBIN that the build embedded.
std::span<const std::byte> embedded_bundle();

class KernelLibrary {
 public:
  KernelLibrary(const sycl::context& context, const sycl::device& device);

  /// The kernel that OPENCD_KERNEL made from the function object `name`. Throws DeviceError if
  /// there is none.
  const sycl::kernel& get(const char* name);

 private:
  sycl::kernel_bundle<sycl::bundle_state::executable> bundle_;
  std::unordered_map<std::string, sycl::kernel> kernels_;
};

}  // namespace opencd::kernels
