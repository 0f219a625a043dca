#include "kernels/device_list.hpp"

#include "error.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <string_view>

namespace opencd::kernels {

namespace {

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
