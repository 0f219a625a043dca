// Writes pictures as PNG.
#pragma once

#include "data/picture.hpp"

#include <cstdint>
#include <filesystem>
#include <vector>

namespace opencd::data {

/// The picture as the bytes of a PNG file.
std::vector<std::uint8_t> encode_png(const Picture& picture);

/// Writes it; the file appears when it is complete.
void write_png(const Picture& picture, const std::filesystem::path& path);

}  // namespace opencd::data
