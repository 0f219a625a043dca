#include "kernels/kernel_library.hpp"

#include "error.hpp"

#include <array>

// embedded_bundles.S
extern "C" const char opencd_core_kernels_begin[];
extern "C" const char opencd_core_kernels_end[];
extern "C" const char opencd_winograd_kernels_begin[];
extern "C" const char opencd_winograd_kernels_end[];
extern "C" const char opencd_augment_kernels_begin[];
extern "C" const char opencd_augment_kernels_end[];

namespace opencd::kernels {

namespace {

struct EmbeddedBundle {
  const char* begin;
  const char* end;
};

/// In the order in which they are linked: what every run needs comes first.
const std::array<EmbeddedBundle, 3> kBundles = {
    EmbeddedBundle{opencd_core_kernels_begin, opencd_core_kernels_end},
    EmbeddedBundle{opencd_winograd_kernels_begin, opencd_winograd_kernels_end},
    EmbeddedBundle{opencd_augment_kernels_begin, opencd_augment_kernels_end}};

}  // namespace

KernelLibrary::KernelLibrary(const sycl::context& context, const sycl::device& device)
    : context_(context), device_(device) {}

const sycl::kernel& KernelLibrary::get(const char* name) {
  const auto found = kernels_.find(name);
  if (found != kernels_.end()) return found->second;
  const std::string entry = std::string(name) + "_kernel";
  for (std::size_t i = 0; i < kBundles.size(); ++i) {
    if (i == linked_.size()) {
      std::vector<char> bytes(kBundles[i].begin, kBundles[i].end);  // the runtime wants to write
      linked_.push_back(
          sycl::link(sycl::ext::oneapi::experimental::get_kernel_bundle<sycl::bundle_state::object>(
              context_, {device_}, sycl::span<char>(bytes))));
    }
    if (linked_[i].ext_oneapi_has_kernel(entry))
      return kernels_.emplace(name, linked_[i].ext_oneapi_get_kernel(entry)).first->second;
  }
  fail<DeviceError>(
      "[{}] expected a kernel of this name in the embedded bundles, found none; is its file in one "
      "of kernels/bundles?",
      name);
}

}  // namespace opencd::kernels
