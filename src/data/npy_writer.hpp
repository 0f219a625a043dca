// Writes NumPy's .npy arrays: format 1.0, little-endian, C order, byte for byte as numpy.save does. A
// file appears under its name when it is whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

namespace opencd::data {

/// ShapeError unless the extents multiply to the number of values.
void write_npy(const std::filesystem::path& path,
               std::span<const float> values,
               const std::vector<std::size_t>& shape);
void write_npy(const std::filesystem::path& path,
               std::span<const std::int32_t> values,
               const std::vector<std::size_t>& shape);

}  // namespace opencd::data
