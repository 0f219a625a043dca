// The kernels that the executable carries, linked for one device. Part of builds with a plain host
// compiler only: a SYCL compiler puts the kernels into the object files itself.
#pragma once

#include "kernels/kernel_cache.hpp"

#include <sycl/sycl.hpp>

#include <optional>
#include <string>
#include <unordered_map>

namespace opencd::kernels {

/// Linking compiles for the device, which takes about a millisecond a kernel on GPUs and up to
/// a hundred on CPUs. So a bundle is linked when one of its kernels is first asked for, and the cache
/// keeps what comes out.
class KernelLibrary {
 public:
  KernelLibrary(const sycl::context& context, const sycl::device& device, KernelCache cache);

  /// The kernel that OPENCD_KERNEL made from the function object `name`. Throws DeviceError if there
  /// is none.
  const sycl::kernel& get(const char* name);

 private:
  using Bundle = sycl::kernel_bundle<sycl::bundle_state::executable>;

  /// The embedded bundle at `begin`, linked or read from the cache now if it was not before.
  Bundle& linked(const char* begin, const char* end);
  std::optional<Bundle> kept(const std::string& key) const;
  void keep(const std::string& key, const Bundle& bundle) const;

  sycl::context context_;
  sycl::device device_;
  KernelCache cache_;
  std::unordered_map<const char*, Bundle> linked_;
  std::unordered_map<std::string, sycl::kernel> kernels_;
};

}  // namespace opencd::kernels
