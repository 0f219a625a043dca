#include "kernels/vendor.hpp"

#include "error.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <mutex>

namespace opencd::kernels {

namespace {

/// The CPU driver of the oneAPI wheels is no system driver: the OpenCL loader must be told where it
/// is. A user's own setting wins.
void show_bundled_opencl_driver() {
  const char* driver = OPENCD_OPENCL_DRIVER;
  if (*driver != '\0' && std::filesystem::exists(driver)) setenv("OCL_ICD_FILENAMES", driver, 0);
}

std::string backend_name(sycl::backend backend) {
  switch (backend) {
    case sycl::backend::opencl: return "opencl";
    case sycl::backend::ext_oneapi_level_zero: return "level_zero";
    case sycl::backend::ext_oneapi_cuda: return "cuda";
    case sycl::backend::ext_oneapi_hip: return "hip";
    default: return "other";
  }
}

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

}  // namespace

VendorTraits vendor_traits(const sycl::device& device) {
  VendorTraits traits;
  if (device.is_cpu()) {
    // Left to itself, oneDNN picks blocks of channels on AVX2, whose forward convolutions reach half
    // the speed of those for channels innermost (80 to 100 against 150 to 200 GFLOP/s on two cores);
    // on AVX-512 PyTorch's two layouts, which make the same choice, differ by a few per cent.
    traits.layout = LayoutPolicy::nhwc;
    traits.winograd = true;
    traits.onemkl = true;
    traits.drain_on_switch = true;
    traits.branching_group =
        1;  // else the driver makes SIMD lanes of items, which all wait for one
    traits.row_group_min = traits.row_group_max = 16;
    traits.item_row_max = std::numeric_limits<std::size_t>::max();  // its cache lines stay near
    return traits;
  }
  switch (device.get_backend()) {
    case sycl::backend::ext_oneapi_cuda: traits.layout = LayoutPolicy::nhwc; break;
    case sycl::backend::ext_oneapi_hip: traits.layout = LayoutPolicy::nchw; break;
    default: traits.onemkl = true; break;  // Intel's GPUs
  }
  return traits;
}

std::string training_obstacle(const sycl::device& device) {
  if (!device.has(sycl::aspect::usm_device_allocations)) return "it has no USM device memory";
  if (!device.is_cpu() && !device.is_gpu()) return "it is neither a CPU nor a GPU";
#if !defined(OPENCD_SYCL_COMPILER)
  const sycl::backend backend = device.get_backend();
  if (backend != sycl::backend::opencl && backend != sycl::backend::ext_oneapi_level_zero)
    return "this build carries kernels for OpenCL and Level Zero only; build with a DPC++ compiler "
           "(docs/PORTABILITY.md)";
  const auto vendor = device.get_info<sycl::info::device::vendor>();
  if (vendor.find("Intel") == std::string::npos)
    return "its driver is not Intel's, and oneDNN serves only Intel's OpenCL and Level Zero "
           "drivers";
#endif
  return "";
}

bool has_bf16(const sycl::device& device) {
#if defined(__x86_64__)
  if (device.is_cpu()) return __builtin_cpu_supports("avx512bf16") != 0;
#endif
  if (device.get_backend() ==
      sycl::backend::ext_oneapi_cuda)  // the version is the compute capability
    return device.get_info<sycl::info::device::backend_version>() >= "8.0";
  return device.has(sycl::aspect::ext_intel_matrix);
}

std::string machine_code_identity(const sycl::device& device) {
  namespace info = sycl::info::device;
  std::string identity = fmt::format(
      "{}\n{}\n{}\n{}\n", device.get_platform().get_info<sycl::info::platform::version>(),
      device.get_info<info::vendor>(), device.get_info<info::name>(),
      device.get_info<info::driver_version>());
  if (!device.is_cpu()) return identity;
  std::ifstream processors("/proc/cpuinfo");
  for (std::string line; std::getline(processors, line) && !line.empty();)
    for (const char* field : {"vendor_id", "cpu family", "model", "stepping", "flags", "Features"})
      if (line.starts_with(field)) identity += line + '\n';
  return identity;
}

std::string backend_and_type(const sycl::device& device) {
  const char* type = device.is_cpu() ? "cpu" : device.is_gpu() ? "gpu" : "other";
  return backend_name(device.get_backend()) + ":" + type;
}

std::vector<sycl::device> sycl_devices() {
  static std::once_flag shown;
  std::call_once(shown, show_bundled_opencl_driver);
  return sycl::device::get_devices();
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

}  // namespace opencd::kernels
