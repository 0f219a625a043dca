#include "support/device.hpp"

#include "support/main.hpp"

#include <cstdlib>
#include <memory>

namespace opencd::test {

kernels::Device& test_device() {
  static std::unique_ptr<kernels::Device> device;
  if (!device) {
    const char* selector = std::getenv("OPENCD_TEST_DEVICE");
    device = std::make_unique<kernels::Device>(
        kernels::DeviceOptions{.selector = selector ? selector : "cpu"});
    at_end([] { device.reset(); });
  }
  return *device;
}

}  // namespace opencd::test
