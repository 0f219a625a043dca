// Where kernels that were compiled for a device are kept from one start of the program to the next.
// Compiling all of them takes seconds on CPUs, reading them back some milliseconds. This layer knows
// no files: whoever opens a device may bring the two functions (files/cache_folder.hpp has them).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace opencd::kernels {

struct KernelCache {
  /// The bytes kept under `key`; nothing if there are none. Must not throw.
  std::function<std::optional<std::string>(std::string_view key)> load;
  /// Keeps them, if it can. Must not throw.
  std::function<void(std::string_view key, std::string_view bytes)> store;
};

}  // namespace opencd::kernels
