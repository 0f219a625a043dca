// Arrays of numbers in the formats that others read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace opencd::cli {

struct NamedArray {
  std::string name;
  std::vector<std::size_t> shape;  // one or two extents
  std::variant<std::span<const float>, std::span<const std::int32_t>> values;
};

/// "npy": NAME.npy each. "csv": NAME.csv each, with a header. "safetensors": all in
/// arrays.safetensors. Returns the names of the files.
std::vector<std::string> write_arrays(const std::filesystem::path& folder,
                                      const std::string& format,
                                      std::span<const NamedArray> arrays);

}  // namespace opencd::cli
