#include "cli/open_device.hpp"

#include "cli/output.hpp"
#include "files/cache_folder.hpp"
#include "kernels/kernels_kept_in.hpp"

#include <spdlog/spdlog.h>

namespace opencd::cli {

namespace {

kernels::KernelCache kernel_cache(const std::string& choice) {
  const std::filesystem::path path =
      choice == "auto" ? files::user_cache("kernels") : std::filesystem::path(choice);
  if (choice == "off" || path.empty()) return {};
  return kernels::kernels_kept_in(files::CacheFolder(path));
}

}  // namespace

std::unique_ptr<kernels::Device> open_device(const CommonOptions& options, bool profile) {
  kernels::DeviceOptions wanted{.selector = options.device,
                                .profile = profile,
                                .kernel_cache = kernel_cache(options.kernel_cache)};
  if (!options.memory_limit.empty()) wanted.memory_limit = parse_bytes(options.memory_limit);
  auto device = std::make_unique<kernels::Device>(wanted);
  spdlog::info("device {} ({}), {:.1f} GiB", printable(device->info().name),
               device->info().selector, static_cast<double>(device->memory().limit) / (1 << 30));
  return device;
}

}  // namespace opencd::cli
