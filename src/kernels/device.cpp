#include "kernels/device.hpp"

#include "error.hpp"
#include "kernels/sycl_access.hpp"
#include "kernels/vendor.hpp"

#if !defined(OPENCD_SYCL_COMPILER)
#include "kernels/kernel_library.hpp"
#endif

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <mutex>
#include <optional>

namespace opencd::kernels {

namespace {

/// What failed after it was submitted; the runtime's threads write, `wait` reads.
class AsyncErrors {
 public:
  void add(const sycl::exception_list& list) {
    const std::lock_guard lock(mutex_);
    for (const std::exception_ptr& error : list) {
      try {
        std::rethrow_exception(error);
      } catch (const std::exception& reason) {
        if (std::find(texts_.begin(), texts_.end(), reason.what()) == texts_.end())
          texts_.emplace_back(reason.what());
      }
    }
  }
  std::vector<std::string> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(texts_, {});
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> texts_;
};

sycl::device find_device(const Selection& selection) {
  sycl::device device = sycl_devices().at(static_cast<std::size_t>(selection.index));
  if (selection.part < 0) return device;
  constexpr auto equally = sycl::info::partition_property::partition_equally;
  return device.create_sub_devices<equally>(1).at(static_cast<std::size_t>(selection.part));
}

sycl::queue make_queue(const sycl::context& context,
                       const sycl::device& device,
                       const std::shared_ptr<AsyncErrors>& errors,
                       bool profile) {
  const auto on_error = [errors](const sycl::exception_list& list) { errors->add(list); };
  if (profile)
    return sycl::queue(
        context, device, on_error,
        {sycl::property::queue::in_order(), sycl::property::queue::enable_profiling()});
  return sycl::queue(context, device, on_error, {sycl::property::queue::in_order()});
}

}  // namespace

struct Device::State {
  DeviceInfo info;
  sycl::device device;
  VendorTraits traits;
  std::shared_ptr<AsyncErrors> errors = std::make_shared<AsyncErrors>();
  sycl::context context;
  sycl::queue queue;
#if !defined(OPENCD_SYCL_COMPILER)
  KernelLibrary kernels;
#endif
  MemoryUse memory;
  std::optional<Submitter> last_submitter;
  std::array<const char*, 4> recent{};  // names of the work submitted last, a ring
  std::size_t submitted = 0;
  bool profiling;
  std::vector<std::pair<const char*, sycl::event>> events;
  std::map<std::string, KernelTime> times;

  State(const DeviceInfo& description, const sycl::device& chosen, const DeviceOptions& options)
      : info(description),
        device(chosen),
        traits(vendor_traits(chosen)),
        context(chosen, [errors = errors](const sycl::exception_list& list) { errors->add(list); }),
        queue(make_queue(context, chosen, errors, options.profile)),
#if !defined(OPENCD_SYCL_COMPILER)
        kernels(context, chosen, options.kernel_cache),
#endif
        profiling(options.profile) {
    memory.limit = options.memory_limit != 0 ? std::min(options.memory_limit, info.memory_bytes)
                                             : info.memory_bytes;
  }

  std::string recent_names() const {
    std::string names;
    for (std::size_t back = 1; back <= std::min(submitted, recent.size()); ++back)
      names +=
          (names.empty() ? "" : ", ") + std::string(recent[(submitted - back) % recent.size()]);
    return names;
  }

  void collect_times() {
    for (const auto& [name, event] : events) {
      const auto start = event.get_profiling_info<sycl::info::event_profiling::command_start>();
      const auto end = event.get_profiling_info<sycl::info::event_profiling::command_end>();
      KernelTime& time = times[name];
      time.name = name;
      ++time.launches;
      time.milliseconds += static_cast<double>(end - start) * 1e-6;
    }
    events.clear();
  }
};

Device::Device(const DeviceOptions& options) {
  const std::vector<DeviceInfo> devices = list_devices();
  const Selection selection = select_device(devices, options.selector);
  DeviceInfo info = devices[static_cast<std::size_t>(selection.index)];
  if (selection.part >= 0) {
    info.selector += fmt::format(".{}", selection.part);
    info.compute_units = 1;
  }
  try {
    state_ = std::make_unique<State>(info, find_device(selection), options);
  } catch (const sycl::exception& error) {
    fail<DeviceError>("[device] {} ({}) could not be opened: {}", info.name, info.selector,
                      error.what());
  }
}

Device::~Device() {
  try {
    state_->queue.wait();
  } catch (const std::exception&) {
    // Work that fails while the program ends has nobody left to tell; whoever needs its result has
    // waited before.
  }
}

const DeviceInfo& Device::info() const { return state_->info; }
LayoutPolicy Device::layout_policy() const { return state_->traits.layout; }
bool Device::prefers_winograd() const { return state_->traits.winograd; }
bool Device::has_onemkl() const { return state_->traits.onemkl; }
int Device::branching_group_size() const {
  return std::min(state_->traits.branching_group, state_->info.max_group_size);
}
int Device::element_group_size() const {
  return std::min(state_->traits.element_group, state_->info.max_group_size);
}

int Device::row_group_size(std::size_t columns) const {
  const VendorTraits& traits = state_->traits;
  const auto wanted = std::bit_ceil(
      std::clamp(columns, std::size_t{1}, static_cast<std::size_t>(traits.row_group_max)));
  return std::min(std::clamp(static_cast<int>(wanted), traits.row_group_min, traits.row_group_max),
                  state_->info.max_group_size);
}

bool Device::item_takes_row(std::size_t columns) const {
  return columns <= state_->traits.item_row_max;
}

void* Device::allocate(std::size_t count, std::size_t element_size) {
  State& state = *state_;
  MemoryUse& memory = state.memory;
  ++memory.allocations;
  if (count == 0) return nullptr;
  const std::size_t free = memory.limit - memory.used;
  const auto refuse = [&] {
    fail<DeviceError>(
        "[memory] asked for {} x {} bytes ({:.1f} MiB), free {} bytes ({:.1f} MiB) of {} bytes on "
        "{}; use a "
        "smaller batch or network, or raise --mem-limit if it is set",
        count, element_size,
        static_cast<double>(count) * static_cast<double>(element_size) / 1048576.0, free,
        static_cast<double>(free) / 1048576.0, memory.limit, state.info.name);
  };
  if (count > free / element_size) refuse();
  const std::size_t bytes = count * element_size;
  void* data = nullptr;
  try {
    data = sycl::malloc_device(bytes, state.queue);
  } catch (const sycl::exception&) {
    data = nullptr;
  }
  if (data == nullptr) refuse();
  memory.used += bytes;
  memory.peak = std::max(memory.peak, memory.used);
#if !defined(NDEBUG)
  state.queue.memset(data, 0xff, bytes).wait();  // floats that nobody wrote show as NaN
#endif
  return data;
}

void Device::release(void* memory, std::size_t bytes) noexcept {
  try {
    state_->queue.wait();  // work in the queue may still use it
    sycl::free(memory, state_->queue);
  } catch (const std::exception&) {
    // A failing device is reported by the next `wait`; a destructor must not throw.
  }
  state_->memory.used -= bytes;
}

MemoryUse Device::memory() const { return state_->memory; }

void Device::copy(const void* src, void* dst, std::size_t bytes) {
  if (bytes == 0) return;
  submit(*this, Submitter::kernels, "copy",
         [&](sycl::queue& queue) { return queue.memcpy(dst, src, bytes); });
  wait();
}

void Device::wait() {
  State& state = *state_;
  std::vector<std::string> reasons;
  try {
    state.queue.wait_and_throw();
  } catch (const std::exception& error) {
    reasons.emplace_back(error.what());
  }
  state.last_submitter.reset();
  for (std::string& text : state.errors->take())
    if (std::find(reasons.begin(), reasons.end(), text) == reasons.end())
      reasons.push_back(std::move(text));
  if (!reasons.empty())
    fail<DeviceError>("[{}] failed on {}: {} (newest first; one of these kernels)",
                      state.recent_names(), state.info.name, fmt::join(reasons, "; "));
  if (state.profiling) state.collect_times();
}

std::vector<KernelTime> Device::profile() {
  wait();
  std::vector<KernelTime> result;
  for (const auto& [name, time] : state_->times) result.push_back(time);
  std::sort(result.begin(), result.end(), [](const KernelTime& a, const KernelTime& b) {
    return a.milliseconds > b.milliseconds;
  });
  return result;
}

sycl::queue& queue_of(Device& device) { return device.state().queue; }

void submit(Device& device,
            Submitter submitter,
            const char* name,
            const std::function<sycl::event(sycl::queue&)>& work) {
  Device::State& state = device.state();
  if (state.traits.drain_on_switch && state.last_submitter && *state.last_submitter != submitter)
    device.wait();
  state.last_submitter = submitter;
  state.recent[state.submitted++ % state.recent.size()] = name;
  try {
    const sycl::event event = work(state.queue);
    if (state.profiling && submitter == Submitter::kernels) state.events.emplace_back(name, event);
  } catch (const sycl::exception& error) {
    fail<DeviceError>("[{}] could not be started on {}: {}", name, state.info.name, error.what());
  }
}

#if !defined(OPENCD_SYCL_COMPILER)
const sycl::kernel& embedded_kernel(Device& device, const char* name) {
  return device.state().kernels.get(name);
}
#endif

}  // namespace opencd::kernels
