// Where a program ran, as files record it: env.json of a run, `devices --json`.
#pragma once

#include "kernels/device_list.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace opencd::cli {

nlohmann::ordered_json to_json(const kernels::DeviceInfo& device);

/// Compiler, operating system, processor, cores that may be used, memory, host name and the time.
nlohmann::ordered_json host_environment();

/// The words that this program was started with, its own name first.
std::vector<std::string> command_line();

/// The time in UTC: "2026-11-16T16:36:38Z".
std::string utc_time();

}  // namespace opencd::cli
