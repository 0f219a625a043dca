#include "cli/open_device.hpp"

#include "cli/output.hpp"

#include <spdlog/spdlog.h>

namespace opencd::cli {

std::unique_ptr<kernels::Device> open_device(const CommonOptions& options, bool profile) {
  kernels::DeviceOptions wanted{.selector = options.device, .profile = profile};
  if (!options.memory_limit.empty()) wanted.memory_limit = parse_bytes(options.memory_limit);
  auto device = std::make_unique<kernels::Device>(wanted);
  spdlog::info("device {} ({}), {:.1f} GiB", printable(device->info().name),
               device->info().selector, static_cast<double>(device->memory().limit) / (1 << 30));
  return device;
}

}  // namespace opencd::cli
