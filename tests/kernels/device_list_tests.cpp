#include "kernels/device_list.hpp"

#include "error.hpp"

#include <doctest/doctest.h>

namespace opencd::test {

namespace {

using kernels::DeviceInfo;
using kernels::DeviceType;
using kernels::select_device;

DeviceInfo device(int index, const char* selector, const char* name, DeviceType type, bool trains) {
  DeviceInfo info;
  info.index = index;
  info.selector = selector;
  info.name = name;
  info.type = type;
  info.compute_units = 4;
  info.can_train = trains;
  info.verdict = trains ? "yes" : "no, because this is a test";
  return info;
}

std::vector<DeviceInfo> machine() {
  return {device(0, "opencl:cpu:0", "Some CPU", DeviceType::cpu, true),
          device(1, "opencl:gpu:0", "Old Card", DeviceType::gpu, false),
          device(2, "level_zero:gpu:0", "Arc A770", DeviceType::gpu, true),
          device(3, "level_zero:gpu:1", "Arc B580", DeviceType::gpu, true)};
}

std::string refusal(const std::vector<DeviceInfo>& devices, const std::string& words) {
  try {
    select_device(devices, words);
  } catch (const DeviceError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_SUITE_BEGIN("kernels/device_list");

TEST_CASE("every way to name a device finds it") {
  const auto devices = machine();
  CHECK_EQ(select_device(devices, "auto").index, 2);
  CHECK_EQ(select_device(devices, "cpu").index, 0);
  CHECK_EQ(select_device(devices, "gpu").index, 2);
  CHECK_EQ(select_device(devices, "3").index, 3);
  CHECK_EQ(select_device(devices, "level_zero:gpu:1").index, 3);
  CHECK_EQ(select_device(devices, "name~b580").index, 3);
  CHECK_EQ(select_device(devices, "opencl:cpu:0.3").part, 3);
  CHECK_EQ(select_device(devices, "opencl:cpu:0").part, -1);
}

TEST_CASE("auto takes a CPU where no GPU can train") {
  auto devices = machine();
  devices.resize(2);
  CHECK_EQ(select_device(devices, "auto").index, 0);
}

TEST_CASE("a GPU that was asked for is never replaced by a CPU") {
  auto devices = machine();
  devices.resize(2);
  const std::string text = refusal(devices, "gpu");
  CHECK_NE(text.find("expected a GPU that can train, found none"), std::string::npos);
  CHECK_NE(text.find("opencl:cpu:0  Some CPU"), std::string::npos);
}

TEST_CASE("unknown words are refused with the list of devices") {
  for (const char* words : {"", "4", "-1", "cuda:gpu:0", "name~nothing", "opencl:cpu:0.4",
                            "opencl:cpu:0.x", "opencl:cpu:"}) {
    CAPTURE(words);
    CHECK_NE(refusal(machine(), words).find("Arc A770"), std::string::npos);
  }
  CHECK_NE(refusal({}, "auto").find("no SYCL device"), std::string::npos);
}

TEST_CASE("a device that cannot train is refused with its reason") {
  CHECK_NE(refusal(machine(), "1").find("because this is a test"), std::string::npos);
}

TEST_SUITE_END();

}  // namespace opencd::test
