// Real data sets, where there are any: in the folder that OPENCD_TEST_DATA names, or in shared/data
// beside the source tree. A test that finds none is skipped, and says so.
#pragma once

#include "support/skip.hpp"
#include "support/test_data.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace opencd::test {

/// The folder of a CIFAR set, unpacked below build/ on first use, for all presets; empty if there is
/// none. One that is there and cannot be unpacked is a failure, not a set that is missing.
inline std::filesystem::path real_cifar(const std::string& name, const std::string& folder) {
  const std::filesystem::path given = test_data_root() / folder;
  if (std::filesystem::exists(given)) return given;
  const std::filesystem::path unpacked =
      std::filesystem::path(OPENCD_SOURCE_DIR) / "build" / "test-data";
  const std::filesystem::path script = test_data_root() / "unpack";
  if (!std::filesystem::exists(script) || !std::filesystem::exists(test_data_root() / name))
    return {};
  const std::string command =
      fmt::format("'{}' {} '{}' >&2", script.string(), name, unpacked.string());
  if (std::system(command.c_str()) != 0) FAIL("could not unpack the data: " << command);
  return unpacked / folder;
}

inline std::filesystem::path existing(const std::filesystem::path& path) {
  return std::filesystem::exists(path) ? path : std::filesystem::path();
}

}  // namespace opencd::test

/// Leaves the test case as skipped where a path is empty.
#define SKIP_WITHOUT(path, what) \
  if ((path).empty()) SKIP_CASE("no " what "; name its folder in OPENCD_TEST_DATA")
