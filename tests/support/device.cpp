#include "support/device.hpp"

#include "files/cache_folder.hpp"
#include "support/main.hpp"

#include <cstdlib>
#include <memory>

namespace opencd::test {

kernels::Device& test_device() {
  static std::unique_ptr<kernels::Device> device;
  if (!device) {
    const char* selector = std::getenv("OPENCD_TEST_DEVICE");
    const files::CacheFolder cache(files::user_cache("kernels"));
    device = std::make_unique<kernels::Device>(kernels::DeviceOptions{
        .selector = selector ? selector : "cpu",
        .kernel_cache = {
            [cache](std::string_view key) { return cache.load(key); },
            [cache](std::string_view key, std::string_view bytes) { cache.store(key, bytes); }}});
    at_end([] { device.reset(); });
  }
  return *device;
}

}  // namespace opencd::test
