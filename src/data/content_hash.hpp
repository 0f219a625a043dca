// The hash that tells data sets and splits apart. Numbers and texts go in with their length, which
// keeps "ab","c" and "a","bc" different.
#pragma once

#include "files/sha256.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace opencd::data {

class ContentHash {
 public:
  void add(std::span<const std::uint8_t> bytes) { hash_.update(std::as_bytes(bytes)); }

  /// As eight little-endian bytes.
  void add_number(std::uint64_t number) {
    std::uint8_t bytes[8];
    for (int i = 0; i < 8; ++i) bytes[i] = static_cast<std::uint8_t>(number >> (8 * i));
    add(bytes);
  }

  void add_text(std::string_view text) {
    add_number(text.size());
    hash_.update(std::as_bytes(std::span(text)));
  }

  /// 64 hexadecimal digits; nothing may follow.
  std::string digits() { return hash_.finish(); }
  /// The same after "sha256:".
  std::string text() { return "sha256:" + digits(); }

 private:
  files::Sha256 hash_;
};

}  // namespace opencd::data
