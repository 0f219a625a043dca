#include "kernels/kernel_library.hpp"

#include "error.hpp"
#include "kernels/vendor.hpp"

#include <string_view>
#include <vector>

// embedded_bundles.S
extern "C" const char opencd_core_kernels_begin[];
extern "C" const char opencd_core_kernels_end[];
extern "C" const char opencd_discovery_kernels_begin[];
extern "C" const char opencd_discovery_kernels_end[];
extern "C" const char opencd_winograd_kernels_begin[];
extern "C" const char opencd_winograd_kernels_end[];
extern "C" const char opencd_augment_kernels_begin[];
extern "C" const char opencd_augment_kernels_end[];
extern "C" const char opencd_losses_kernels_begin[];
extern "C" const char opencd_losses_kernels_end[];

namespace opencd::kernels {

namespace syclex = sycl::ext::oneapi::experimental;

namespace {

struct EmbeddedBundle {
  const char* begin;
  const char* end;

  /// Names stand in the text of a bundle, so that it need not be linked to be asked.
  bool mentions(std::string_view entry) const {
    return std::string_view(begin, end).find(entry) != std::string_view::npos;
  }
};

const EmbeddedBundle kBundles[] = {{opencd_core_kernels_begin, opencd_core_kernels_end},
                                   {opencd_winograd_kernels_begin, opencd_winograd_kernels_end},
                                   {opencd_losses_kernels_begin, opencd_losses_kernels_end},
                                   {opencd_discovery_kernels_begin, opencd_discovery_kernels_end},
                                   {opencd_augment_kernels_begin, opencd_augment_kernels_end}};

}  // namespace

KernelLibrary::KernelLibrary(const sycl::context& context,
                             const sycl::device& device,
                             KernelCache cache)
    : context_(context), device_(device), cache_(std::move(cache)) {}

const sycl::kernel& KernelLibrary::get(const char* name) {
  const auto found = kernels_.find(name);
  if (found != kernels_.end()) return found->second;
  const std::string entry = std::string(name) + "_kernel";
  for (const EmbeddedBundle& embedded : kBundles) {
    if (!embedded.mentions(entry)) continue;
    Bundle& bundle = linked(embedded.begin, embedded.end);
    if (bundle.ext_oneapi_has_kernel(entry))
      return kernels_.emplace(name, bundle.ext_oneapi_get_kernel(entry)).first->second;
  }
  fail<DeviceError>(
      "[{}] expected a kernel of this name in the embedded bundles, found none; is its file in one "
      "of kernels/bundles?",
      name);
}

KernelLibrary::Bundle& KernelLibrary::linked(const char* begin, const char* end) {
  const auto found = linked_.find(begin);
  if (found != linked_.end()) return found->second;
  const std::string key = machine_code_identity(device_) + std::string(begin, end);
  std::optional<Bundle> bundle = kept(key);
  if (!bundle) {
    std::vector<char> bytes(begin, end);  // the runtime wants to write
    // Lives as long as its content is asked for: the linked bundle refers to its names.
    const auto object = syclex::get_kernel_bundle<sycl::bundle_state::object>(
        context_, {device_}, sycl::span<char>(bytes));
    bundle = sycl::link(object);
    keep(key, *bundle);
  }
  return linked_.emplace(begin, std::move(*bundle)).first->second;
}

std::optional<KernelLibrary::Bundle> KernelLibrary::kept(const std::string& key) const {
  std::optional<std::string> bytes = cache_.load ? cache_.load(key) : std::nullopt;
  if (!bytes) return std::nullopt;
  try {
    return syclex::get_kernel_bundle<sycl::bundle_state::executable>(
        context_, {device_}, sycl::span<char>(bytes->data(), bytes->size()));
  } catch (const sycl::exception&) {
    return std::nullopt;  // of another version of the runtime: linked anew
  }
}

void KernelLibrary::keep(const std::string& key, const Bundle& bundle) const {
  if (!cache_.store) return;
  try {
    const auto bytes = bundle.ext_oneapi_get_content();
    cache_.store(key, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  } catch (const sycl::exception&) {
    // A runtime that does not hand out machine code: every start compiles.
  }
}

}  // namespace opencd::kernels
