// A device with its one in-order queue, its memory account and the kernels linked for it. Made
// once, in `main` or in a test, and passed by reference. This header needs no SYCL;
// `kernels/sycl_access.hpp` opens the door for those that do.
#pragma once

#include "kernels/device_list.hpp"
#include "kernels/kernel_cache.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace opencd::kernels {

/// Memory formats that convolutions may choose from on a device.
enum class LayoutPolicy { any, nchw, nhwc };

struct DeviceOptions {
  std::string selector = "auto";
  std::size_t memory_limit = 0;  // bytes; 0: all of the device's memory
  bool profile = false;          // record the device time of every kernel
  KernelCache kernel_cache;      // without functions: kernels are compiled at every start
};

struct MemoryUse {
  std::size_t used = 0;
  std::size_t peak = 0;
  std::size_t limit = 0;
  std::size_t allocations = 0;  // how often memory was asked for since the start
};

/// Device time of all launches of one kernel.
struct KernelTime {
  std::string name;
  std::size_t launches = 0;
  double milliseconds = 0.0;
};

/// Who puts work into the queue: our kernels, or a library (oneDNN, oneMKL).
enum class Submitter { kernels, library };

class Device {
 public:
  explicit Device(const DeviceOptions& options = {});
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  const DeviceInfo& info() const;
  LayoutPolicy layout_policy() const;
  /// Whether Winograd's convolution pays: needs channels innermost.
  bool prefers_winograd() const;
  /// Whether oneMKL's binaries serve this device.
  bool has_onemkl() const;

  /// Work-group size of row-wise kernels over rows of `columns` entries, and of element-wise
  /// kernels.
  int row_group_size(std::size_t columns) const;
  int element_group_size() const;
  /// Of element-wise kernels whose items go different ways most of the time.
  int branching_group_size() const;
  /// Whether a row of `columns` entries is better read by one item than by a work-group, where a
  /// kernel offers both.
  bool item_takes_row(std::size_t columns) const;

  /// Memory for `count` elements; throws DeviceError with the bytes asked, the bytes free and the
  /// device's name.
  void* allocate(std::size_t count, std::size_t element_size);
  void release(void* memory, std::size_t bytes) noexcept;
  MemoryUse memory() const;

  /// Copies between host and device, or on the device, and waits. Host copies and `wait` are the
  /// only places that wait.
  void copy(const void* src, void* dst, std::size_t bytes);
  /// Waits for all work; a failure of that work is thrown here as DeviceError that names the
  /// kernels submitted last.
  void wait();

  /// Device time by kernel since the start; empty unless profiling was asked for.
  std::vector<KernelTime> profile();

  struct State;  // SYCL objects; see kernels/sycl_access.hpp
  State& state() { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

}  // namespace opencd::kernels
