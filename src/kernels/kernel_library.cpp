#include "kernels/kernel_library.hpp"

#include "error.hpp"

#include <vector>

extern "C" const std::byte opencd_kernels_begin[];
extern "C" const std::byte opencd_kernels_end[];

namespace opencd::kernels {

namespace {

sycl::kernel_bundle<sycl::bundle_state::executable> link_bundle(const sycl::context& context,
                                                                const sycl::device& device) {
  const auto* first = reinterpret_cast<const char*>(opencd_kernels_begin);
  std::vector<char> bytes(first,
                          first + embedded_bundle().size());  // the runtime wants them writable
  return sycl::link(sycl::ext::oneapi::experimental::get_kernel_bundle<sycl::bundle_state::object>(
      context, {device}, sycl::span<char>(bytes)));
}

}  // namespace

std::span<const std::byte> embedded_bundle() { return {opencd_kernels_begin, opencd_kernels_end}; }

KernelLibrary::KernelLibrary(const sycl::context& context, const sycl::device& device)
    : bundle_(link_bundle(context, device)) {}

const sycl::kernel& KernelLibrary::get(const char* name) {
  const auto found = kernels_.find(name);
  if (found != kernels_.end()) return found->second;
  const std::string entry = std::string(name) + "_kernel";
  if (!bundle_.ext_oneapi_has_kernel(entry))
    fail<DeviceError>(
        "[{}] expected a kernel of this name in the embedded bundle, found none; is its file in "
        "all_kernels.cpp?",
        name);
  return kernels_.emplace(name, bundle_.ext_oneapi_get_kernel(entry)).first->second;
}

}  // namespace opencd::kernels
