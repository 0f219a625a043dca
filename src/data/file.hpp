// Whole files as bytes, and names of files as text that can be shown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace opencd::data {

/// Larger than any file that is read in one piece here.
constexpr std::size_t kMaxFileBytes = std::size_t{1} << 36;

/// All bytes of a regular file of at most `max_bytes`; FormatError names the file otherwise.
std::vector<std::uint8_t> read_file(const std::filesystem::path& path,
                                    std::size_t max_bytes = kMaxFileBytes);

/// Writes a whole file, which appears under its name when it is complete.
void write_file(const std::filesystem::path& path, std::span<const std::uint8_t> bytes);

/// Valid UTF-8 without control characters.
bool is_clean_text(std::string_view text);

/// The path for messages: control characters and bytes that are not UTF-8 become \xNN.
std::string display_name(const std::filesystem::path& path);
std::string display_text(std::string_view text);

}  // namespace opencd::data
