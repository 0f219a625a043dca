#include "kernels/device.hpp"

#include "kernels/device/elementwise.hpp"
#include "kernels/elementwise.hpp"
#include "kernels/launch.hpp"
#include "kernels/scratch.hpp"
#include "support/compare.hpp"
#include "support/matrices.hpp"
#include "support/message.hpp"
#include "support/skip.hpp"

#include <map>
#include <numeric>
#include <optional>

namespace opencd::test {

using kernels::Buffer;
using kernels::Device;
using kernels::Scratch;

namespace {

/// The message of the DeviceError that `action` throws, or "" if it throws none.
template <class Action>
std::string device_error(Action action) {
  try {
    action();
  } catch (const DeviceError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_SUITE_BEGIN("kernels/device");

TEST_CASE("values survive the way to the device and back") {
  std::vector<float> values(100'003);
  std::iota(values.begin(), values.end(), 0.0f);
  CHECK(kernels::to_host(test_device(), kernels::to_device(test_device(), values)) == values);
}

TEST_CASE("the memory account follows every buffer") {
  Device device({.selector = "cpu"});
  CHECK_EQ(device.memory().used, 0);
  {
    Buffer<float> a(device, 1000);
    Buffer<float> b = std::move(a);
    CHECK_EQ(device.memory().used, 4000);
    b = Buffer<float>(device, 10);
    CHECK_EQ(device.memory().used, 40);
  }
  CHECK_EQ(device.memory().used, 0);
  CHECK_EQ(device.memory().peak, 4040);
  CHECK_EQ(device.memory().allocations, 2);
}

TEST_CASE("kernels that were kept are not compiled again, and damaged ones are") {
  std::map<std::string, std::string, std::less<>> kept;
  std::size_t stored = 0;
  const kernels::KernelCache cache{[&](std::string_view key) -> std::optional<std::string> {
                                     const auto found = kept.find(key);
                                     return found == kept.end() ? std::nullopt
                                                                : std::optional(found->second);
                                   },
                                   [&](std::string_view key, std::string_view bytes) {
                                     kept[std::string(key)] = bytes;
                                     ++stored;
                                   }};
  const auto doubled = [&] {
    Device device({.selector = "cpu", .kernel_cache = cache});
    const Buffer<float> values = kernels::to_device(device, std::vector<float>(1000, 1.5f));
    kernels::scale(device, values.view(), 2.0f);
    return kernels::to_host(device, values) == std::vector<float>(1000, 3.0f);
  };
  CHECK(doubled());
  CHECK_EQ(stored, 1);
  CHECK(doubled());
  CHECK_EQ(stored, 1);
  kept.begin()->second = "not a kernel";
  CHECK(doubled());
  CHECK_EQ(stored, 2);
}

TEST_CASE("memory past the limit is refused with bytes asked, bytes free and the device's name") {
  Device device({.selector = "cpu", .memory_limit = 1 << 20});
  const Buffer<float> held(device, 1000);
  const std::string text = device_error([&] { Buffer<float>(device, 1 << 20); });
  CHECK(contains(text, "asked for 1048576 x 4 bytes"));
  CHECK(contains(text, "free 1044576 bytes"));
  CHECK(contains(text, device.info().name));
  CHECK_EQ(device.memory().used, 4000);
  CHECK(contains(device_error([&] { Buffer<float>(device, SIZE_MAX / 2); }), "asked for"));
}

TEST_CASE("a kernel that cannot start names itself") {
  Device device({.selector = "cpu"});
  Buffer<float> x(device, 1);
  const auto too_large = static_cast<std::size_t>(device.info().max_group_size) * 2;
  const std::string text = device_error([&] {
    kernels::launch(device, sycl::nd_range<1>(too_large, too_large),
                    kernels::Fill{x.data(), 1, 0.0f});
    device.wait();
  });
  CHECK(contains(text, "[Fill]"));
}

TEST_CASE("work that fails later is reported by wait with its name, once") {
  Device device({.selector = "cpu"});
  kernels::submit(device, kernels::Submitter::library, "doomed_task", [](sycl::queue& queue) {
    return queue.submit([](sycl::handler& handler) {
      handler.host_task([] { throw std::runtime_error("the task met its doom"); });
    });
  });
  const std::string text = device_error([&] { device.wait(); });
  CHECK(contains(text, "doomed_task"));
  CHECK(contains(text, "the task met its doom"));
  CHECK_NOTHROW(device.wait());
}

TEST_CASE("kernels and library work share one order") {
  Device device({.selector = "cpu"});
  Buffer<float> x(device, 1000);
  for (int round = 0; round < 50; ++round) {
    kernels::fill(device, x, static_cast<float>(round));
    kernels::submit(device, kernels::Submitter::library, "add_one", [&](sycl::queue& queue) {
      float* data = x.data();
      return queue.submit([&](sycl::handler& handler) {
        handler.host_task([data] {
          for (int i = 0; i < 1000; ++i) data[i] += 1.0f;
        });
      });
    });
  }
  CHECK(kernels::to_host(device, x) == std::vector<float>(1000, 50.0f));
}

TEST_CASE("a part of a divided device gives the same bits as the whole") {
  Device whole({.selector = "cpu"});
  if (whole.info().compute_units < 2) SKIP_CASE("the device has one compute unit");
  Device part({.selector = whole.info().selector + ".1"});
  CHECK_EQ(part.info().compute_units, 1);
  Random random(61);
  const std::vector<float> x = random.normals(70'001);
  const auto run = [&](Device& device) {
    const auto dev_x = kernels::to_device(device, x);
    const auto dev_y = kernels::to_device(device, x);
    kernels::axpy(device, 0.7f, dev_x, dev_y);
    return kernels::to_host(device, dev_y);
  };
  CHECK(run(whole) == run(part));
}

TEST_CASE("profiling counts launches and device time by kernel, on request only") {
  Device device({.selector = "cpu", .profile = true});
  Buffer<float> x(device, 1 << 20);
  for (int i = 0; i < 3; ++i) kernels::fill(device, x, 1.0f);
  kernels::scale(device, x, 2.0f);
  std::size_t fills = 0;
  for (const kernels::KernelTime& time : device.profile()) {
    if (time.name == "Fill") fills = time.launches;
    CHECK_GT(time.milliseconds, 0.0);
  }
  CHECK_EQ(fills, 3);
  CHECK(test_device().profile().empty());
}

TEST_CASE("scratch memory is handed out aligned, taken back by frames and never overdrawn") {
  Scratch scratch(test_device(), 4096);
  {
    const Scratch::Frame frame(scratch);
    const auto a = scratch.take<float>(3);
    const auto b = scratch.take<float>(3);
    CHECK_EQ(
        reinterpret_cast<const std::byte*>(b.data) - reinterpret_cast<const std::byte*>(a.data),
        256);
    CHECK_THROWS_AS(scratch.take<float>(1000), DeviceError);
  }
  CHECK_EQ(scratch.used(), 0);
  CHECK_EQ(scratch.peak(), 512);
  CHECK_EQ(scratch.take_rows<float>(16, 64).size(), 1024);
}

TEST_SUITE_END();

}  // namespace opencd::test
