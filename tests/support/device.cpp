#include "support/device.hpp"

#include "files/cache_folder.hpp"
#include "kernels/kernels_kept_in.hpp"
#include "support/main.hpp"

#include <cstdlib>
#include <memory>

namespace opencd::test {

kernels::Device& test_device() {
  static std::unique_ptr<kernels::Device> device;
  if (!device) {
    const char* selector = std::getenv("OPENCD_TEST_DEVICE");
    device = std::make_unique<kernels::Device>(kernels::DeviceOptions{
        .selector = selector ? selector : "cpu",
        .kernel_cache =
            kernels::kernels_kept_in(files::CacheFolder(files::user_cache("kernels")))});
    at_end([] { device.reset(); });
  }
  return *device;
}

}  // namespace opencd::test
