// JSON from files that may be broken or hostile. The parser underneath merges duplicate keys, takes
// a zero byte for the end of the text and follows any nesting; here all three are refused.
#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <filesystem>
#include <string_view>

namespace opencd::files {

struct JsonLimits {
  std::size_t bytes = std::size_t{64} << 20u;
  std::size_t depth = 64;                       // objects and arrays inside each other
  std::size_t values = std::size_t{16} << 20u;  // bounds the memory: a value takes up to 100 bytes
};

/// Throws FormatError, which names `file` and the place, unless `text` is one JSON value within
/// the limits and without duplicate keys.
nlohmann::json parse_json(std::string_view text,
                          const std::filesystem::path& file,
                          const JsonLimits& limits = {});

nlohmann::json read_json_file(const std::filesystem::path& file, const JsonLimits& limits = {});

}  // namespace opencd::files
