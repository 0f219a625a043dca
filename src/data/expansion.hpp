// Compressed input: how much it may grow, and gzip. Deflate cannot expand more than 1032 times, so
// a larger claim is a lie; and where the result would be large, even a possible ratio that no real
// data reaches is taken for a bomb.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace opencd::data {

/// FormatError if `packed` bytes cannot, or should not, become `expanded` bytes.
void check_expansion(std::size_t packed, std::size_t expanded, const std::string& name);

/// Reads the content of gzipped bytes piece by piece.
class GzipReader {
 public:
  GzipReader(std::span<const std::uint8_t> packed, std::string name);
  ~GzipReader();
  GzipReader(const GzipReader&) = delete;
  GzipReader& operator=(const GzipReader&) = delete;

  static bool is_gzip(std::span<const std::uint8_t> bytes) {
    return bytes.size() >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b;
  }

  /// Fills `dst` and returns how many bytes there were: fewer only at the end.
  std::size_t read(std::span<std::uint8_t> dst);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace opencd::data
