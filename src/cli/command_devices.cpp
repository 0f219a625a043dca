// `devices`: every SYCL device of the machine and whether the program can train on it.
#include "cli/commands.hpp"
#include "cli/environment.hpp"
#include "cli/output.hpp"
#include "kernels/device_list.hpp"

#include <fmt/ranges.h>

#include <memory>

namespace opencd::cli {

namespace {

std::string precisions(const kernels::DeviceInfo& device) {
  std::vector<std::string> names = {"fp32"};
  if (device.has_fp16) names.emplace_back("fp16");
  if (device.has_bf16) names.emplace_back("bf16");
  if (device.has_fp64) names.emplace_back("fp64");
  return fmt::format("{}", fmt::join(names, " "));
}

void print_device(const kernels::DeviceInfo& device) {
  print_line(fmt::format("{}  {}  {}", device.index, device.selector, printable(device.name)));
  print_line(fmt::format("   vendor     {}", printable(device.vendor)));
  print_line(
      fmt::format("   driver     {}, {}", printable(device.platform), printable(device.driver)));
  print_line(fmt::format("   memory     {:.1f} GiB",
                         static_cast<double>(device.memory_bytes) / (1 << 30)));
  print_line(fmt::format("   compute    {} units, sub-groups of {}, {}", device.compute_units,
                         fmt::join(device.sub_group_sizes, " "), precisions(device)));
  print_line(fmt::format("   can train: {}", device.verdict));
}

int list(const CommonOptions& options) {
  const auto devices = kernels::list_devices();
  if (options.json) {
    auto array = nlohmann::ordered_json::array();
    for (const auto& device : devices) array.push_back(to_json(device));
    print_json({{"devices", array}});
    return 0;
  }
  for (const auto& device : devices) print_device(device);
  if (devices.empty())
    print_line(
        "No SYCL device. `scripts/setup` installs the CPU device; GPUs need their vendor's "
        "driver.");
  return 0;
}

}  // namespace

void add_devices_command(CLI::App& app, Action& action) {
  auto options = std::make_shared<CommonOptions>();
  CLI::App* verb = app.add_subcommand("devices", "List every device and whether it can train");
  define_verb(*verb, *options, action, [options] { return list(*options); });
  verb->footer("Example: opencd_sycl devices --json");
}

}  // namespace opencd::cli
