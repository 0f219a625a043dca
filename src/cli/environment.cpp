#include "cli/environment.hpp"

#include <fmt/chrono.h>
#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <ctime>
#include <fstream>

namespace opencd::cli {

namespace {

/// The value of the first line of a system file that begins with `key`, without `marks` around it.
std::string line_value(const char* file, const std::string& key, const char* marks) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with(key)) continue;
    const std::size_t begin = line.find_first_not_of(marks, key.size());
    if (begin == std::string::npos) continue;
    return line.substr(begin, line.find_last_not_of(marks) + 1 - begin);
  }
  return "unknown";
}

/// Cores that this process may use, which --threads limits.
int usable_cores() {
  cpu_set_t cores;
  return sched_getaffinity(0, sizeof(cores), &cores) == 0 ? CPU_COUNT(&cores) : 0;
}

}  // namespace

nlohmann::ordered_json to_json(const kernels::DeviceInfo& device) {
  return {{"index", device.index},
          {"selector", device.selector},
          {"name", device.name},
          {"vendor", device.vendor},
          {"platform", device.platform},
          {"driver", device.driver},
          {"type", kernels::to_string(device.type)},
          {"memory_bytes", device.memory_bytes},
          {"compute_units", device.compute_units},
          {"max_group_size", device.max_group_size},
          {"sub_group_sizes", device.sub_group_sizes},
          {"fp16", device.has_fp16},
          {"bf16", device.has_bf16},
          {"fp64", device.has_fp64},
          {"can_train", device.can_train},
          {"verdict", device.verdict}};
}

nlohmann::ordered_json host_environment() {
  utsname system = {};
  ::uname(&system);
  return {{"compiler",
#ifdef __clang__
           __VERSION__
#else
           "GCC " __VERSION__
#endif
          },
          {"os", line_value("/etc/os-release", "PRETTY_NAME=", "\"")},
          {"kernel", fmt::format("{} {}", system.sysname, system.release)},
          {"machine", system.machine},
          {"cpu", line_value("/proc/cpuinfo", "model name", " \t:")},
          {"threads", usable_cores()},
          {"memory_bytes", static_cast<std::int64_t>(::sysconf(_SC_PHYS_PAGES)) *
                               static_cast<std::int64_t>(::sysconf(_SC_PAGESIZE))},
          {"host", system.nodename},
          {"started", utc_time()}};
}

std::vector<std::string> command_line() {
  std::ifstream in("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(in, word, '\0');) words.push_back(word);
  return words;
}

std::string utc_time() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

}  // namespace opencd::cli
