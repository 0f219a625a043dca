// Decoded pictures kept on disk and mapped back: a second run starts at once, and a set larger than
// memory can be used at all. A file is named after the content of the pictures it was made from and
// carries a checksum; one that does not fit is made again.
//
// Layout: the rows that could be decoded, a line "index reason" for each picture that could not, and
// a trailer of fixed size.
#pragma once

#include "data/image_set.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace opencd::data {

/// 64 hexadecimal digits.
using CacheKey = std::string;

struct BrokenPicture {
  std::size_t index = 0;
  std::string reason;
};

/// Rows of all sound pictures of a list, in order, and what was wrong with the others.
struct DecodedPictures {
  Bytes pixels;
  std::vector<BrokenPicture> broken;
};

/// What a cache of these pictures is called.
std::filesystem::path cache_file(const std::filesystem::path& folder, const CacheKey& key);

/// The cached pictures, or none if they are not there, not whole or not for `key`.
std::optional<DecodedPictures> open_pixel_cache(const std::filesystem::path& file,
                                                const CacheKey& key,
                                                std::size_t row_bytes);

/// Writes a cache row by row; it appears under its name when `finish` is called.
class PixelCacheWriter {
 public:
  PixelCacheWriter(const std::filesystem::path& file, const CacheKey& key, std::size_t row_bytes);
  ~PixelCacheWriter();

  void add_row(std::span<const std::uint8_t> row);
  void finish(const std::vector<BrokenPicture>& broken);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace opencd::data
