#include "cli/version.hpp"

#include "cli/environment.hpp"
#include "nn/engine.hpp"

#include <fmt/format.h>
#include <sycl/version.hpp>

namespace opencd::cli {

std::string program_version() {
  return fmt::format("{} (commit {})", OPENCD_VERSION, OPENCD_COMMIT);
}

std::string sycl_version() {
  return fmt::format("SYCL runtime {}.{}.{}", __LIBSYCL_MAJOR_VERSION, __LIBSYCL_MINOR_VERSION,
                     __LIBSYCL_PATCH_VERSION);
}

std::string version_text() {
  return fmt::format("opencd_sycl {}\n{}\n{}\n{}", program_version(), sycl_version(),
                     nn::onednn_version(), nn::onemkl_version());
}

nlohmann::ordered_json program_environment(const kernels::DeviceInfo& device) {
  return {{"version", OPENCD_VERSION},
          {"commit", OPENCD_COMMIT},
          {"libraries", {sycl_version(), nn::onednn_version(), nn::onemkl_version()}},
          {"device", to_json(device)}};
}

}  // namespace opencd::cli
