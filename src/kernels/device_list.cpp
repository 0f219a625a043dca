#include "kernels/device_list.hpp"

#include "error.hpp"
#include "kernels/vendor.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <optional>
#include <string_view>

namespace opencd::kernels {

namespace {

DeviceInfo describe(const sycl::device& device) {
  namespace info = sycl::info::device;
  DeviceInfo result;
  result.name = device.get_info<info::name>();
  result.vendor = device.get_info<info::vendor>();
  result.platform = device.get_platform().get_info<sycl::info::platform::name>();
  result.driver = device.get_info<info::driver_version>();
  result.type = device.is_cpu()   ? DeviceType::cpu
                : device.is_gpu() ? DeviceType::gpu
                                  : DeviceType::other;
  result.memory_bytes = device.get_info<info::global_mem_size>();
  result.compute_units = static_cast<int>(device.get_info<info::max_compute_units>());
  result.max_group_size = static_cast<int>(device.get_info<info::max_work_group_size>());
  for (const std::size_t size : device.get_info<info::sub_group_sizes>())
    result.sub_group_sizes.push_back(static_cast<int>(size));
  result.has_fp16 = device.has(sycl::aspect::fp16);
  result.has_fp64 = device.has(sycl::aspect::fp64);
  result.has_bf16 = has_bf16(device);
  const std::string obstacle = training_obstacle(device);
  result.can_train = obstacle.empty();
  result.verdict = obstacle.empty() ? "yes" : "no, because " + obstacle;
  return result;
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return text;
}

std::string listing(const std::vector<DeviceInfo>& devices) {
  if (devices.empty())
    return "this machine has no SYCL device; `scripts/setup` installs the CPU device";
  std::string text = "devices here:";
  for (const DeviceInfo& device : devices)
    text += fmt::format("\n  {}  {}  {}{}", device.index, device.selector, device.name,
                        device.can_train ? "" : "  (can train: " + device.verdict + ")");
  return text;
}

std::optional<int> to_number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

/// The first device of a type that can train, if there is one.
std::optional<int> first_of(const std::vector<DeviceInfo>& devices, DeviceType type) {
  for (const DeviceInfo& device : devices)
    if (device.type == type && device.can_train) return device.index;
  return std::nullopt;
}

std::optional<Selection> find(const std::vector<DeviceInfo>& devices, const std::string& words) {
  const auto whole = [](std::optional<int> index) -> std::optional<Selection> {
    if (!index) return std::nullopt;
    return Selection{*index, -1};
  };
  if (words == "auto") {
    const auto gpu = first_of(devices, DeviceType::gpu);
    return whole(gpu ? gpu : first_of(devices, DeviceType::cpu));
  }
  if (words == "cpu") return whole(first_of(devices, DeviceType::cpu));
  if (words == "gpu") return whole(first_of(devices, DeviceType::gpu));
  if (const auto index = to_number(words))
    return *index < static_cast<int>(devices.size()) ? whole(index) : std::nullopt;
  if (words.starts_with("name~")) {
    const std::string wanted = lower(words.substr(5));
    for (const DeviceInfo& device : devices)
      if (lower(device.name).find(wanted) != std::string::npos) return Selection{device.index, -1};
    return std::nullopt;
  }
  const std::size_t dot =
      words.find('.', words.rfind(':') == std::string::npos ? 0 : words.rfind(':'));
  const std::string selector = words.substr(0, dot);
  const auto part = dot == std::string::npos ? std::optional(-1)
                                             : to_number(std::string_view(words).substr(dot + 1));
  for (const DeviceInfo& device : devices)
    if (device.selector == selector && part && *part < device.compute_units)
      return Selection{device.index, *part};
  return std::nullopt;
}

}  // namespace

std::string to_string(DeviceType type) {
  switch (type) {
    case DeviceType::cpu: return "cpu";
    case DeviceType::gpu: return "gpu";
    case DeviceType::other: break;
  }
  return "other";
}

std::vector<DeviceInfo> list_devices() {
  std::vector<DeviceInfo> result;
  std::map<std::string, int> seen;
  for (const sycl::device& device : sycl_devices()) {
    DeviceInfo info = describe(device);
    info.index = static_cast<int>(result.size());
    const std::string kind = backend_and_type(device);
    info.selector = fmt::format("{}:{}", kind, seen[kind]++);
    result.push_back(std::move(info));
  }
  return result;
}

Selection select_device(const std::vector<DeviceInfo>& devices, const std::string& words) {
  const auto selection = find(devices, words);
  if (!selection && (words == "cpu" || words == "gpu"))
    fail<DeviceError>("[device] expected a {} that can train, found none; {}",
                      words == "cpu" ? "CPU" : "GPU", listing(devices));
  if (!selection)
    fail<DeviceError>(
        "[device] expected auto, cpu, gpu, an index, BACKEND:TYPE:N or name~TEXT that matches a "
        "device, got '{}'; {}",
        words, listing(devices));
  const DeviceInfo& device = devices[static_cast<std::size_t>(selection->index)];
  if (!device.can_train)
    fail<DeviceError>("[device] '{}' means {}, which cannot be used: {}; {}", words, device.name,
                      device.verdict, listing(devices));
  return *selection;
}

}  // namespace opencd::kernels
