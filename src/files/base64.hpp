// Base64 (RFC 4648, with padding): bytes inside text, as data addresses of pages take them.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace opencd::files {

std::string base64(std::span<const std::uint8_t> bytes);

}  // namespace opencd::files
