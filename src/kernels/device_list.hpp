// What devices there are, what they can do, and which one a user's words mean.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace opencd::kernels {

enum class DeviceType { cpu, gpu, other };

std::string to_string(DeviceType type);

/// One SYCL device as a user sees it.
struct DeviceInfo {
  int index = 0;
  std::string selector;  // "opencl:cpu:0"
  std::string name;
  std::string vendor;
  std::string platform;
  std::string driver;
  DeviceType type = DeviceType::other;
  std::size_t memory_bytes = 0;
  int compute_units = 0;
  int max_group_size = 0;
  std::vector<int> sub_group_sizes;
  bool has_fp16 = false;
  bool has_bf16 = false;
  bool has_fp64 = false;
  bool can_train = false;
  std::string verdict;  // "yes", or "no, because ..."
};

/// Every device of the machine, in the order of the SYCL runtime.
std::vector<DeviceInfo> list_devices();

/// The place in `devices` that `words` mean: auto | cpu | gpu | INDEX | BACKEND:TYPE:N[.PART] |
/// name~TEXT. PART picks one compute unit of a device that can be divided. Never falls back to
/// another kind of device: throws DeviceError that lists what is there.
struct Selection {
  int index = 0;
  int part = -1;  // -1: the whole device
};
Selection select_device(const std::vector<DeviceInfo>& devices, const std::string& words);

}  // namespace opencd::kernels
