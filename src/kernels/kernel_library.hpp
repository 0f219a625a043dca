// The kernels that the executable carries, linked for one device. Part of builds with a plain host
// compiler only: a SYCL compiler puts the kernels into the object files itself.
#pragma once

#include <sycl/sycl.hpp>

#include <string>
#include <unordered_map>
#include <vector>

namespace opencd::kernels {

/// Linking compiles for the device, which takes about a millisecond a kernel on GPUs and up to
/// twenty on CPUs. So bundles are linked when a kernel is asked for that is in none before them.
class KernelLibrary {
 public:
  KernelLibrary(const sycl::context& context, const sycl::device& device);

  /// The kernel that OPENCD_KERNEL made from the function object `name`. Throws DeviceError if there
  /// is none.
  const sycl::kernel& get(const char* name);

 private:
  using Bundle = sycl::kernel_bundle<sycl::bundle_state::executable>;

  sycl::context context_;
  sycl::device device_;
  std::vector<Bundle> linked_;
  std::unordered_map<std::string, sycl::kernel> kernels_;
};

}  // namespace opencd::kernels
