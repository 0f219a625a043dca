// What this program is and what it was built with.
#pragma once

#include "kernels/device_list.hpp"

#include <nlohmann/json.hpp>

#include <string>

namespace opencd::cli {

/// "0.1.0 (commit 1a2b3c4)"
std::string program_version();
/// The version of the SYCL runtime that is linked.
std::string sycl_version();
/// Program, SYCL runtime, oneDNN and oneMKL, as `--version` prints them.
std::string version_text();
/// The same and the device, as env.json of a run records them.
nlohmann::ordered_json program_environment(const kernels::DeviceInfo& device);

}  // namespace opencd::cli
